import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import type { Delivery, DeliveryDetail } from "../../../schema/resources/delivery.ts"
import type { RecordedRequest, TlsReceiver } from "../../support/tlsReceiver.ts"
import { chargeWhen, eventsOf, makeCharge } from "./charges.ts"
import { type Answer, type Client, eventually, readAll } from "./client.ts"

export const deliveriesPath = "/v1/webhook-deliveries"

/** A seller's attempts, oldest first. */
export const rowsOf = async (client: Client, query = ""): Promise<ReadonlyArray<Delivery>> =>
  (await readAll<Delivery>(client, deliveriesPath, `limit=100${query}`)).toReversed()

/** A seller's attempts, oldest first, once `areReady` is true of them. */
export const rowsWhen = (
  client: Client,
  areReady: (rows: ReadonlyArray<Delivery>) => boolean,
  query = "",
): Promise<ReadonlyArray<Delivery>> =>
  eventually(`deliveries ${query}`, async () => {
    const rows = await rowsOf(client, query)
    return areReady(rows) ? rows : undefined
  })

/** Whether the last attempt ended its delivery. */
export const hasEnded = (rows: ReadonlyArray<Delivery>): boolean =>
  rows.at(-1)?.status === "dead" || rows.at(-1)?.status === "success"

export const detailOf = (client: Client, id: string): Promise<Answer<DeliveryDetail>> =>
  client.get(`${deliveriesPath}/${id}`)

/** Retries a delivery, and returns any answer. */
export const retry = <T>(client: Client, id: string): Promise<Answer<T>> =>
  client.post(`${deliveriesPath}/${id}/retry`)

/** Makes a charge, waits until it is paid, and returns it with its `transaction.paid` event. */
export const paidEvent = async (client: Client, changes: Readonly<Record<string, unknown>> = {}) => {
  const charge = await makeCharge(client, changes)
  await chargeWhen(client, charge.id, "paid")
  const event = (await eventsOf(client, charge.id)).find(({ type }) => type === "transaction.paid")
  if (event === undefined) throw new Error(`${charge.id} is paid without an event`)
  return { charge, event }
}

/** The requests that a receiver got on a path, oldest first. */
export const requestsOn = (receiver: TlsReceiver, path: string): ReadonlyArray<RecordedRequest> =>
  receiver.requests.filter((request) => request.path === path)

const stripe = new Stripe("sk_test_none")

/**
 * Verifies a delivery in three ways: with stripe's library, with standardwebhooks, and by hand
 * (`docs/contract/deliveries.md#signature`). Throws where one of them fails.
 */
export const verify = (request: RecordedRequest, secret: string): void => {
  stripe.webhooks.constructEvent(request.rawBody, request.headers["x-signature"] ?? "", secret)
  new Webhook(secret).verify(request.rawBody, request.headers)
  const match = /^t=(\d+),v1=([0-9a-f]{64})(?:,v1=([0-9a-f]{64}))?$/.exec(
    request.headers["x-signature"] ?? "",
  )
  const expected = createHmac("sha256", secret).update(`${match?.[1]}.`).update(request.rawBody).digest("hex")
  if (match?.[2] !== expected && match?.[3] !== expected)
    throw new Error(`X-Signature is ${request.headers["x-signature"]}`)
}
