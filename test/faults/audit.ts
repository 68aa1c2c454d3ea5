import { createHmac } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { expect } from "vitest"
import { payoutIdOf, txidOf } from "../../schema/ids.ts"
import type { ApiClient } from "../support/apiClient.ts"
import type { EventFollower } from "../support/eventFollower.ts"
import type { TestSeller } from "../support/seller.ts"
import type { RecordedRequest, TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import type { OfferedCharge } from "./chargeLoad.ts"
import { type Journal, makeJournal } from "./run/journal.ts"
import { judge } from "./run/promises.ts"
import { readFeed } from "./run/state.ts"

/** Where a fault test's deliveries go: the seller's endpoint, and the charges' postback. */
export const endpointPath = "/endpoint"
export const postbackPath = "/postback"

interface FeedEvent {
  readonly id: string
  readonly type: string
  readonly data: { readonly object: { readonly id: string } }
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

/** The requests of a path that are not signed as they should be, or have another event than was subscribed. */
const forgedOf = (receiver: TlsReceiver, path: string, secret: string): ReadonlyArray<string> => {
  const webhook = new Webhook(secret)
  return receiver.requests.flatMap((request) => {
    if (request.path !== path) return []
    const { type } = JSON.parse(request.body) as FeedEvent
    if (type !== "transaction.paid") return [`${type} was delivered`]
    return isSigned(request, secret, webhook) ? [] : [`${request.headers["x-delivery-id"]} is not signed`]
  })
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

/** What a dead process leased comes when its lease ends: a scene that stands still for longer is stuck. */
const stillMillisMax = 120_000

/** Waits until every charge is paid, followed and delivered, as long as something still comes. */
export const settle = async (scene: Scene): Promise<void> => {
  const { charges, follower, receiver } = scene
  const owed = owedBy(charges)
  const isSettled = () => follower.events.length >= charges.length * 2 && attemptedOnce(receiver) >= owed
  while (!isSettled()) {
    const [events, deliveries] = [follower.events.length, attemptedOnce(receiver)]
    await until(
      () =>
        `everything to settle, and nothing came: ${events} of ${charges.length * 2} events, ` +
        `${deliveries} of ${owed} deliveries. The follower: ${stateOf(follower)}`,
      () => isSettled() || follower.events.length > events || attemptedOnce(receiver) > deliveries,
      stillMillisMax,
    )
  }
}

/** All of a scene's test mode is of one feed. */
const feed = "seller:test"

/** What the scene's clients, follower and receivers were told. */
const journalOf = ({ charges, follower, receiver }: Scene): Journal => {
  const journal = makeJournal()
  for (const { key, amount, created } of charges) {
    if (created === undefined) continue
    journal.tell({ kind: "charge", feed, key, id: created.id, amount, status: "pending" })
  }
  for (const event of follower.events) journal.tell({ kind: "frame", feed, follower: "follower", ...event })
  for (const { event } of follower.controls) {
    if (event === "replay_gap") journal.tell({ kind: "gap", feed, follower: "follower" })
  }
  for (const { path, body } of receiver.requests) {
    if (path !== endpointPath) continue
    const { id, type, data } = JSON.parse(body) as FeedEvent
    journal.tell({ kind: "webhook", feed, id, type, resourceId: data.object.id })
  }
  return journal
}

/** Checks that the charges with a postback reached it, and no others. */
const auditPostbacks = ({ charges, receiver }: Scene): void => {
  const called = receiver.requests.flatMap(({ path, body }) =>
    path === postbackPath ? [(JSON.parse(body) as FeedEvent).data.object.id] : [],
  )
  const owed = charges.filter(({ hasPostback }) => hasPostback).map(createdId)
  expect([...new Set(called)].toSorted()).toEqual(owed.toSorted())
}

/**
 * Holds what a scene's clients, follower and receivers were told to the promises of fault runs (`run/promises.ts`), and checks what
 * only a scene knows: a repeated key gets its first answer, webhooks are signed, postbacks arrive, and each delivery owed succeeded once.
 */
export const audit = async (scene: Scene): Promise<void> => {
  const { client, charges, follower, receiver, seller } = scene
  const state = await readFeed(client)
  const unsettled = state.charges.flatMap(({ id, status }) =>
    status === "paid" ? [] : [`${id} is ${status}`],
  )
  const verdicts = judge(
    journalOf(scene),
    { feeds: new Map([[feed, state]]), executions: new Map(), auditProblem: undefined, unsettled },
    { txidOf, payoutIdOf },
  )
  none(verdicts.flatMap(({ promise, broken }) => broken.map((what) => `${promise}: ${what}`)))
  expect({ charges: state.charges.length, frames: follower.events.length }).toEqual({
    charges: charges.length,
    frames: state.events.length,
  })
  expect([...follower.statuses.keys()]).toEqual([200])
  await auditReplays(client, charges)
  none(forgedOf(receiver, endpointPath, seller.endpoints[0]?.secret ?? ""))
  none(forgedOf(receiver, postbackPath, seller.postbackSecret))
  auditPostbacks(scene)
  // A row is written after the receiver's answer, so the last ones may still be on their way.
  await until(
    "the last deliveries to be recorded",
    () =>
      auditRows(client, owedBy(charges)).then(
        () => true,
        () => false,
      ),
    120_000,
  ).catch(() => auditRows(client, owedBy(charges)))
}
