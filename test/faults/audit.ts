import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { expect } from "vitest"
import type { ApiClient } from "../support/apiClient.ts"
import type { EventFollower } from "../support/eventFollower.ts"
import type { TestSeller } from "../support/seller.ts"
import type { RecordedRequest, TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import type { OfferedCharge } from "./chargeLoad.ts"

/** Where a fault test's deliveries go: the seller's endpoint, and the charges' postback. */
export const endpointPath = "/endpoint"
export const postbackPath = "/postback"

interface FeedEvent {
  readonly id: string
  readonly type: string
  readonly seq: number
  readonly data: { readonly object: { readonly id: string; readonly status: string } }
}

interface DeliveryRow {
  readonly event_id: string
  readonly target: string
}

/** How many problems are shown at most; one cause makes thousands. */
const shownMax = 10
const none = (problems: ReadonlyArray<string>): void => {
  const rest = problems.length > shownMax ? [`and ${problems.length - shownMax} more`] : []
  expect([...problems.slice(0, shownMax), ...rest]).toEqual([])
}

const concurrently = async <Item>(
  items: ReadonlyArray<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

const createdId = (charge: OfferedCharge): string => charge.created?.id ?? ""

/** The charges whose events reached a path of the receiver, and the requests that should not have been sent so. */
const received = (receiver: TlsReceiver, path: string, secret: string) => {
  const webhook = new Webhook(secret)
  const chargeIds = new Set<string>()
  const forged: Array<string> = []
  for (const request of receiver.requests) {
    if (request.path !== path) continue
    if (!isSigned(request, secret, webhook)) forged.push(request.headers["x-delivery-id"] ?? "")
    const event = JSON.parse(request.body) as FeedEvent
    if (event.type !== "transaction.paid") forged.push(`${event.type} was delivered`)
    chargeIds.add(event.data.object.id)
  }
  return { chargeIds, forged }
}

const isSigned = (request: RecordedRequest, secret: string, webhook: Webhook): boolean => {
  const [, seconds = "", signature = ""] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request.headers["x-signature"] ?? "") ?? []
  const expected = createHmac("sha256", secret).update(`${seconds}.${request.body}`).digest("hex")
  // Compared rather than verified: the library refuses what was sent five minutes ago, and long runs look at it later.
  const {
    "webhook-id": id = "",
    "webhook-timestamp": sent = "",
    "webhook-signature": signatures = "",
  } = request.headers
  const expectedByLibrary = webhook.sign(id, new Date(Number(sent) * 1_000), request.body)
  return signature === expected && sent === seconds && signatures.split(" ").includes(expectedByLibrary)
}

/** Checks that every acknowledged charge is there with its amount, and no charge that was not requested. */
const auditCharges = async (client: ApiClient, charges: ReadonlyArray<OfferedCharge>): Promise<void> => {
  const problems: Array<string> = []
  const ids = new Set(charges.map(createdId))
  if (ids.size !== charges.length) problems.push(`${charges.length} keys made ${ids.size} charges`)
  await concurrently(charges, async (charge) => {
    const answer = await client.get(`/v1/transactions/${createdId(charge)}`)
    const found = answer.json() as { id: string; amount: number; status: string }
    const isRight =
      found.id === createdId(charge) && found.amount === charge.amount && found.status === "paid"
    if (!isRight) problems.push(`${charge.key}: ${answer.status} ${answer.text.slice(0, 200)}`)
  })
  const listed = await client.all<{ id: string }>("/v1/transactions")
  for (const { id } of listed) if (!ids.has(id)) problems.push(`${id} is a charge that no answer named`)
  if (listed.length !== charges.length) problems.push(`${listed.length} of ${charges.length} are listed`)
  none(problems)
}

/** Checks that a repeated key gets its first answer: for charges whose requests were cut, and some of the others. */
const auditReplays = async (client: ApiClient, charges: ReadonlyArray<OfferedCharge>): Promise<void> => {
  const problems: Array<string> = []
  const asked = charges.filter((charge, i) => charge.sends > 1 || i % 20 === 0)
  await concurrently(asked, async (charge) => {
    const answer = await client.send("POST", "/v1/transactions", {
      body: charge.body,
      headers: { "idempotency-key": charge.key },
    })
    const isReplay = answer.status === 201 && answer.headers["idempotent-replayed"] === "true"
    if (!isReplay || answer.text !== charge.created?.text) {
      problems.push(`${charge.key}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
  })
  none(problems)
}

/** Checks that every transition has exactly one event, and that `seq` counts them from 1 without a gap. */
const auditFeed = (feed: ReadonlyArray<FeedEvent>, charges: ReadonlyArray<OfferedCharge>): void => {
  const problems: Array<string> = []
  const typesOf = new Map<string, string>()
  for (const [i, event] of feed.entries()) {
    if (event.seq !== i + 1) problems.push(`event ${i + 1} has seq ${event.seq}`)
    const { id } = event.data.object
    typesOf.set(id, `${typesOf.get(id) ?? ""} ${event.type}`)
  }
  for (const charge of charges) {
    const types = typesOf.get(createdId(charge)) ?? " nothing"
    if (types !== " transaction.created transaction.paid") problems.push(`${charge.key}:${types}`)
  }
  if (typesOf.size !== charges.length) problems.push(`${typesOf.size} charges have events`)
  if (new Set(feed.map(({ id }) => id)).size !== feed.length) problems.push("two events have one id")
  none(problems)
}

const auditFollower = (follower: EventFollower, feed: ReadonlyArray<FeedEvent>): void => {
  const problems = follower.events.flatMap((event, i) =>
    event.id === feed[i]?.id && event.seq === i + 1 ? [] : [`frame ${i + 1}: ${event.seq} ${event.id}`],
  )
  none(problems)
  expect(follower.events.length).toBe(feed.length)
  expect(follower.controls.filter(({ event }) => event === "replay_gap")).toEqual([])
  expect([...follower.statuses.keys()]).toEqual([200])
}

/** Checks that each delivery succeeded once, however often it was attempted: one row per event and destination. */
const auditRows = async (client: ApiClient, owed: number): Promise<void> => {
  const rows = await client.all<DeliveryRow>("/v1/webhook-deliveries?status=success")
  const distinct = new Set(rows.map((row) => `${row.event_id} ${row.target}`))
  expect({ rows: rows.length, distinct: distinct.size }).toEqual({ rows: owed, distinct: owed })
}

/** What a fault test leaves behind to be audited. */
export interface Scene {
  readonly client: ApiClient
  readonly seller: TestSeller
  readonly charges: ReadonlyArray<OfferedCharge>
  readonly follower: EventFollower
  readonly receiver: TlsReceiver
}

const attemptedOnce = (receiver: TlsReceiver) =>
  new Set(
    receiver.requests
      .filter(({ path }) => path === endpointPath || path === postbackPath)
      .map(({ path, headers }) => `${path} ${headers["x-event-id"]}`),
  ).size

/** How many deliveries the charges owe: each one to the endpoint, and one more where it has a postback. */
const owedBy = (charges: ReadonlyArray<OfferedCharge>): number =>
  charges.length + charges.filter(({ hasPostback }) => hasPostback).length

/** What a follower's streams have been answered, and the last that they said of themselves. */
const stateOf = ({ isReady, statuses, controls }: EventFollower): string => {
  const answers = [...statuses].map(([status, count]) => `${count} times ${status}`).join(", ")
  const last = controls.slice(-3).map(({ event, data }) => `${event} ${data}`)
  return `its stream is ${isReady() ? "open" : "not open"} after ${answers || "no answer"}; it said ${last.join(", ") || "nothing"}`
}

/** Waits until every charge is paid, followed and delivered; what a dead process leased comes when its lease ends. */
export const settle = (scene: Scene, timeoutMillis: number): Promise<void> => {
  const { charges, follower, receiver } = scene
  const owed = owedBy(charges)
  return until(
    () =>
      `everything to settle: ${follower.events.length} of ${charges.length * 2} events, ` +
      `${attemptedOnce(receiver)} of ${owed} deliveries. The follower: ${stateOf(follower)}`,
    () => follower.events.length >= charges.length * 2 && attemptedOnce(receiver) >= owed,
    timeoutMillis,
  )
}

/**
 * Checks the invariants after crashes: what was answered is there, a key made one charge and a transition one event, no
 * `seq` is missing or repeated, a follower saw each event once and in order, and each delivery owed reached its
 * receiver with a valid signature.
 */
export const audit = async (scene: Scene): Promise<void> => {
  const { client, charges, follower, receiver, seller } = scene
  await auditCharges(client, charges)
  await auditReplays(client, charges)
  const feed = (await client.all<FeedEvent>("/v1/events")).toReversed()
  auditFeed(feed, charges)
  auditFollower(follower, feed)

  const endpoint = received(receiver, endpointPath, seller.endpoints[0]?.secret ?? "")
  const postback = received(receiver, postbackPath, seller.postbackSecret)
  none([...endpoint.forged, ...postback.forged])
  none(charges.filter((charge) => !endpoint.chargeIds.has(createdId(charge))).map(({ key }) => key))
  const withPostback = charges.filter(({ hasPostback }) => hasPostback)
  none(withPostback.filter((charge) => !postback.chargeIds.has(createdId(charge))).map(({ key }) => key))
  expect(postback.chargeIds.size).toBe(withPostback.length)
  // A row is written after the receiver's answer, so the last ones may still be on their way.
  await until(
    "the last deliveries to be recorded",
    () =>
      auditRows(client, owedBy(charges)).then(
        () => true,
        () => false,
      ),
    30_000,
  ).catch(() => auditRows(client, owedBy(charges)))
}
