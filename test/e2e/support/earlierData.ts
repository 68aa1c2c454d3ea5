import { readFileSync } from "node:fs"
import { Redis } from "ioredis"
import type { Delivery } from "../../../schema/resources/delivery.ts"
import type { Event } from "../../../schema/resources/event.ts"
import { startTestRedis, type TestRedis } from "../../support/redis.ts"
import { startTlsReceiver, type TlsReceiver } from "../../support/tlsReceiver.ts"
import { eventually } from "./client.ts"

/** The test takes a minute on a busy machine; below the runner's limit for a hook. */
const portTimeoutMillis = 240_000

const folder = new URL("../../fixtures/c3efe76/", import.meta.url)

interface FormerPerson {
  readonly email: string
  readonly password: string
  readonly userId: string
  readonly sellerId?: string
  /** Absent: 2FA is off. */
  readonly totpSecret?: string
}

type Answers = Readonly<Record<string, unknown>> & {
  readonly "/v1/events": ReadonlyArray<Event>
  readonly "/v1/webhook-deliveries": ReadonlyArray<Delivery>
}

/** Facts about the data that commit c3efe76 wrote with `test/fixtures/c3efe76/write.mjs`. */
export interface EarlierFacts {
  readonly encryptionKey: string
  /** The port on localhost that its endpoints deliver to. */
  readonly receiverPort: number
  readonly people: Readonly<Record<"owner" | "operator" | "newcomer", FormerPerson>>
  readonly keys: Readonly<Record<"live" | "test" | "second" | "deleted", string>>
  readonly seller: object
  readonly endpoints: Readonly<Record<"ok" | "later", { readonly id: string; readonly secret: string }>>
  /** Requests for charges as they were sent, and as they were answered. */
  readonly charges: Readonly<
    Record<
      "paid" | "failed" | "refunded" | "chargedBack" | "pending",
      { readonly id: string; readonly key: string; readonly body: string; readonly answer: string }
    >
  >
  /** A live withdrawal that nobody has decided. */
  readonly awaiting: { readonly id: string }
  readonly operatorLog: object
  /** The last answers by mode and path; lists in full, newest first. */
  readonly answers: Readonly<Record<"live" | "test", Answers>>
}

export const earlierFacts = (): EarlierFacts =>
  JSON.parse(readFileSync(new URL("facts.json", folder), "utf8")) as EarlierFacts

/**
 * Starts the receiver that the data's endpoints deliver to. They name its port, which this test in another clone may have
 * taken: it is waited for until that has ended.
 */
export const startEarlierReceiver = ({ receiverPort: port }: EarlierFacts): Promise<TlsReceiver> =>
  eventually(
    `port ${port} to be free`,
    () =>
      startTlsReceiver({ port }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "EADDRINUSE") return undefined
        throw error
      }),
    portTimeoutMillis,
  )

/** Starts a Redis with the keys and the function library that the service of that commit left behind. */
export const startEarlierRedis = async (): Promise<TestRedis> => {
  const server = await startTestRedis()
  const redis = new Redis(server.url)
  for (const line of readFileSync(new URL("dump.jsonl", folder), "utf8").trim().split("\n")) {
    const [name, millisLeft, payload] = JSON.parse(line) as readonly [string | null, number, string]
    const bytes = Buffer.from(payload, "base64")
    if (name === null) await redis.call("FUNCTION", "RESTORE", bytes)
    else await redis.restore(name, millisLeft, bytes)
  }
  redis.disconnect()
  return server
}
