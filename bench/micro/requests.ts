import { transactionsGroup } from "../../schema/api/transactions.ts"
import { signAttempt } from "../../src/delivery/signature.ts"
import { makeBodyDecoder } from "../../src/http/contract/bodyDecoder.ts"
import type { Incoming } from "../../src/http/server/route.ts"
import { microBench } from "./microBench.ts"

const incoming = {
  requestId: "req_0",
  authorization: undefined,
  params: [],
  query: "",
  headers: [],
  contentType: "application/json",
  contentEncoding: "",
  remoteAddress: "127.0.0.1",
} as const satisfies Omit<Incoming, "body">
const bodies = Array.from({ length: 64 }, (_, index): Incoming => {
  const body = {
    amount: 1_990 + index,
    payment_method: "pix",
    customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
    items: [{ name: "Assinatura", quantity: 1, unit_amount: 1_990 + index }],
    metadata: { order_id: `2026-${index}`, channel: "web" },
  }
  return { ...incoming, body: Buffer.from(JSON.stringify(body)) }
})

const decodeCreate = makeBodyDecoder(transactionsGroup.endpoints.createTransaction)

const namesOf = (decoded: unknown): ReadonlyArray<string> => {
  if (decoded === null || typeof decoded !== "object" || !("amount" in decoded)) {
    throw new Error(`a body was not decoded: ${String(decoded)}`)
  }
  return Object.keys(decoded)
}

/** Decodes a charge's body from bytes to the handler's input. */
export const decodeBench = microBench("decode a charge's body", bodies, (body) =>
  namesOf(decodeCreate?.(body)),
)

const eventBody = Buffer.from(JSON.stringify({ id: "evt_1", data: { qr: "iVBORw0KGgo".repeat(120) } }))
const attempts = Array.from({ length: 64 }, (_, index) => ({
  secrets: [`whsec_${"c2VjcmV0".repeat(5)}abc`],
  eventId: `evt_01KB2N4Y8Q6ZJ5T7R9W3X1V0${String(index).padStart(2, "0")}`,
  timestampSeconds: 1_763_683_655,
  body: eventBody,
}))

/** Makes both signatures of an attempt, over 1.4 kB. */
export const signBench = microBench(
  "sign an attempt",
  attempts,
  (attempt) => signAttempt(attempt)?.webhookSignature ?? "",
)
