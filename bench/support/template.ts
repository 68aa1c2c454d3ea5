import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { makePaymentUrls } from "../../src/payments/paymentUrls.ts"
import { makeChargeRenderer } from "../../src/payments/renderCharge.ts"
import { readEntries } from "../../src/store/events.ts"
import * as keys from "../../src/store/keys.ts"
import { createBody } from "../load/workload.ts"
import { publicUrl } from "./settings.ts"
import { encryptionKey, type SideBackend } from "./sides.ts"
import { until } from "./until.ts"

const key = plainKey(Buffer.from(encryptionKey, "base64"))

/** Renders a stored charge as the sides do. */
export const { render: renderCharge } = makeChargeRenderer({
  open: makeCipher(key).open,
  urls: makePaymentUrls(key, () => publicUrl),
})

/** The content of every measured event: a charge as the service stores it and as it shows it. */
export interface EventTemplate {
  readonly type: string
  readonly resourceId: string
  readonly stored: string
  readonly shown: string
}

/** Creates a charge with a running service, and waits for its event. The simulator pays only amounts that do not end in 01. */
export const makeTemplate = async (
  { redis, sellerId, apiKey }: SideBackend,
  port: number,
  type: "transaction.created" | "transaction.paid",
): Promise<EventTemplate> => {
  const amount = type === "transaction.paid" ? 1_000_000 : 1_000_001
  const response = await fetch(`http://127.0.0.1:${port}/v1/transactions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": "template",
    },
    body: JSON.stringify({ ...createBody, amount }),
  })
  if (response.status !== 201) throw new Error(`creating a charge failed: ${await response.text()}`)
  const feed = keys.eventsKey({ sellerId, mode: "test" })
  const find = async () =>
    readEntries(await redis.client.xrange(feed, "-", "+")).find((found) => found.type === type)
  await until(async () => (await find()) !== undefined, 60_000)
  const entry = await find()
  if (entry === undefined) throw new Error(`the charge has no event ${type}`)
  return { type, resourceId: entry.resourceId, stored: entry.data, shown: renderCharge(entry.data) }
}
