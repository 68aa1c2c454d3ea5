import { randomBytes } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { InboxStore } from "../../actors/ports/inboxStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { noticeBytes, noticeTimerName, type ReceivedNotice } from "../../actors/values/receivedNotice.ts"
import { makeId, partitionOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { freshId, unique } from "./fixtures.ts"
import { elapse, nowMillis, type StoreCase, storeCase } from "./stage.ts"

const partition = 7
const minuteMillis = 60_000

let order = 0
/** Random bytes that sort each id after the earlier ones of its millisecond. */
const laterBytes = () => {
  order += 1
  return Uint8Array.from([order >> 10, order >> 5, order, ...randomBytes(11)], (byte) => byte & 31)
}

/** A notice of a partition, not yet received; each is later than the one before. */
const newNotice = (overrides: Partial<ReceivedNotice> = {}) =>
  Effect.map(
    nowMillis,
    (millis): ReceivedNotice => ({
      id: makeId("inb_", millis, partition, laterBytes()),
      acquirerSlug: "api-pix",
      providerEventId: unique("event"),
      eventType: "pix.received",
      signatureValid: true,
      receivedAt: "2026-11-21T00:07:35.123Z",
      transactionId: "txn_01KB2N4Y8Q6ZJ5T7R9W3X1V0SD",
      withdrawalId: undefined,
      endToEndId: "E1234567820261121000712345678901",
      refundId: "r1",
      bodyHash: unique("hash"),
      content: { body: "enc:v2:0:body", headers: "enc:v2:0:headers" },
      ...overrides,
    }),
  )

const stored = ({ content: _, ...notice }: ReceivedNotice) => ({
  ...notice,
  attempts: 0,
  processedAt: undefined,
  error: undefined,
  reprocessedAt: undefined,
})

/** Receives a fresh notice. */
const take = (overrides: Partial<ReceivedNotice> = {}) =>
  Effect.gen(function* () {
    const notice = yield* newNotice(overrides)
    assert.deepStrictEqual(yield* (yield* InboxStore).receive(notice), { kind: "received", id: notice.id })
    return notice
  })

const claim = Effect.flatMap(TimerQueue, (queue) => queue.claim(partition, 1_000))
const dueNotices = Effect.map(claim, ({ due }) =>
  due.filter(({ name }) => name === noticeTimerName).map(({ resourceId }) => resourceId),
)

const page = { state: undefined, beforeId: undefined, limit: 50 } as const
const listed = (state?: "unprocessed") =>
  Effect.flatMap(InboxStore, (inbox) =>
    Effect.map(inbox.list({ ...page, state }), (notices) => notices.map(({ id }) => id)),
  )

const doneAt = "2026-11-21T00:08:00.000Z"
const done = (id: string, error?: string) =>
  Effect.flatMap(InboxStore, (inbox) =>
    inbox.record({ id, processedAt: doneAt, error, retryAfterMillis: undefined }),
  )

const duplicateOf = (id: string, contentOf?: string) => ({ kind: "duplicate" as const, id, contentOf })

const duplicates: StoreCase = storeCase(
  "a duplicate notice is known by acquirer and event, and makes the first due again unless it is done",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const first = yield* take()
    const { providerEventId } = first
    assert.deepStrictEqual(yield* dueNotices, [first.id])
    yield* inbox.record({
      id: first.id,
      processedAt: undefined,
      error: "later",
      retryAfterMillis: minuteMillis,
    })
    assert.deepStrictEqual(yield* dueNotices, [])
    const again = yield* newNotice({ providerEventId })
    assert.deepStrictEqual(yield* inbox.receive(again), duplicateOf(first.id))
    assert.isUndefined(yield* inbox.load(again.id))
    assert.deepStrictEqual(yield* listed(), [first.id])
    assert.deepStrictEqual(yield* dueNotices, [first.id], "a repeated notice may be true by now")
    yield* done(first.id)
    const late = yield* newNotice({ providerEventId })
    assert.deepStrictEqual(yield* inbox.receive(late), duplicateOf(first.id))
    assert.deepStrictEqual(yield* dueNotices, [], "a processed notice stays processed")
    const other = yield* take({ providerEventId, acquirerSlug: "simulator" })
    assert.deepStrictEqual(yield* dueNotices, [other.id])
  }),
)

const repeated: StoreCase = storeCase(
  "a notice received twice under one id is stored once and answers received both times",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    for (const signatureValid of [true, false]) {
      const notice = yield* take({ signatureValid })
      assert.deepStrictEqual(yield* inbox.receive(notice), { kind: "received", id: notice.id })
    }
    assert.strictEqual((yield* listed()).length, 2)
  }),
)

const unsigned: StoreCase = storeCase(
  "a notice with a bad signature is kept but never processed, and counts as nobody's duplicate",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const bad = yield* take({ signatureValid: false })
    const { providerEventId } = bad
    const worse = yield* take({ signatureValid: false, providerEventId })
    assert.deepStrictEqual(yield* dueNotices, [])
    const good = yield* take({ providerEventId })
    assert.deepStrictEqual(yield* inbox.load(bad.id), stored(bad))
    const after = yield* take({ signatureValid: false, providerEventId })
    assert.deepStrictEqual(yield* dueNotices, [good.id])
    assert.deepStrictEqual(yield* listed(), [after.id, good.id, worse.id, bad.id])
    assert.deepStrictEqual(yield* listed("unprocessed"), [good.id])
    assert.deepStrictEqual(yield* inbox.reprocess(bad.id, doneAt), { kind: "badSignature" })
    assert.deepStrictEqual(yield* dueNotices, [])
    assert.deepStrictEqual(yield* inbox.load(bad.id), stored(bad))
  }),
)

const bounded: StoreCase = storeCase(
  "beyond their limit, the oldest notices with a bad signature are dropped, and no others",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const good = yield* take()
    const count = limits.unsignedNoticesMax + 3
    const bad = yield* Effect.forEach(Array.from({ length: count }), () => take({ signatureValid: false }))
    const kept = bad.slice(3).map(({ id }) => id)
    const all = yield* inbox.list({ ...page, limit: count + 1 })
    assert.deepStrictEqual(
      all.map(({ id }) => id),
      [...kept.toReversed(), good.id],
    )
    assert.isUndefined(yield* inbox.load(bad[2]?.id ?? ""))
    assert.isDefined(yield* inbox.load(bad[3]?.id ?? ""))
  }),
)

const results: StoreCase = storeCase(
  "a notice counts its attempts, keeps the last error, and stays listed when it is given up",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const notice = yield* take()
    yield* claim
    yield* inbox.record({
      id: notice.id,
      processedAt: undefined,
      error: "silent",
      retryAfterMillis: minuteMillis,
    })
    const { nextInMillis = -1 } = yield* claim
    assert.isAbove(nextInMillis, minuteMillis / 2)
    assert.isAtMost(nextInMillis, minuteMillis)
    assert.deepStrictEqual(yield* inbox.load(notice.id), { ...stored(notice), attempts: 1, error: "silent" })
    yield* inbox.record({ id: notice.id, processedAt: undefined, error: "over", retryAfterMillis: undefined })
    assert.strictEqual((yield* claim).nextInMillis, undefined)
    assert.deepStrictEqual(yield* listed("unprocessed"), [notice.id])
    yield* done(notice.id, "late")
    assert.deepStrictEqual(yield* inbox.load(notice.id), {
      ...stored(notice),
      attempts: 3,
      error: "late",
      processedAt: doneAt,
    })
    assert.deepStrictEqual(yield* listed("unprocessed"), [])
    assert.deepStrictEqual(yield* listed(), [notice.id])
  }),
)

const again: StoreCase = storeCase(
  "a processed notice is due again when an operator asks for it",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const notice = yield* take()
    yield* claim
    yield* done(notice.id, "unusual")
    assert.deepStrictEqual(yield* dueNotices, [])
    const reprocessedAt = "2026-11-22T00:00:00.000Z"
    assert.deepStrictEqual(yield* inbox.reprocess(notice.id, reprocessedAt), { kind: "queued" })
    assert.deepStrictEqual(yield* dueNotices, [notice.id])
    assert.deepStrictEqual(yield* listed("unprocessed"), [notice.id])
    const waiting = { ...stored(notice), attempts: 1, error: "unusual", reprocessedAt }
    assert.deepStrictEqual(yield* inbox.load(notice.id), waiting)
    yield* done(notice.id)
    assert.deepStrictEqual(yield* inbox.load(notice.id), {
      ...waiting,
      attempts: 2,
      error: undefined,
      processedAt: doneAt,
    })
  }),
)

const unknown: StoreCase = storeCase(
  "recording or reprocessing an unknown notice stores nothing and sets no timer",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const { id } = yield* newNotice()
    assert.isUndefined(yield* inbox.load(id))
    assert.deepStrictEqual(yield* inbox.reprocess(id, doneAt), { kind: "missing" })
    yield* done(id)
    assert.isUndefined(yield* inbox.load(id))
    assert.deepStrictEqual(yield* listed(), [])
    assert.strictEqual((yield* claim).nextInMillis, undefined)
  }),
)

const retentionMillis = 400

const retention: StoreCase = storeCase(
  "notices are dropped after their retention, and the same event is then received anew",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const old = yield* take()
    const bad = yield* take({ signatureValid: false })
    yield* elapse(retentionMillis + 200)
    assert.isUndefined(yield* inbox.load(old.id))
    assert.isUndefined(yield* inbox.load(bad.id))
    assert.deepStrictEqual(yield* inbox.reprocess(old.id, doneAt), { kind: "missing" })
    assert.deepStrictEqual(yield* listed(), [])
    assert.deepStrictEqual(yield* dueNotices, [old.id])
    yield* inbox.record({ id: old.id, processedAt: undefined, error: "x", retryAfterMillis: minuteMillis })
    assert.strictEqual((yield* claim).nextInMillis, undefined, "its timer is gone with it")
    assert.isUndefined(yield* inbox.load(old.id))
    const anew = yield* take({ providerEventId: old.providerEventId })
    assert.deepStrictEqual(yield* listed(), [anew.id])
    assert.deepStrictEqual(yield* listed("unprocessed"), [anew.id])
  }),
  { settings: { eventRetentionMillis: retentionMillis } },
)

const lists: StoreCase = storeCase(
  "the notice list covers all partitions, newest first, in pages",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const notices = yield* Effect.forEach([3, 1, 2, 1, 0], (other) =>
      Effect.flatMap(freshId("inb_", other), (id) => take({ id })).pipe(Effect.tap(() => elapse(2))),
    )
    assert.deepStrictEqual(
      notices.map(({ id }) => partitionOfId(id)),
      [3, 1, 2, 1, 0],
    )
    const ids = notices.map(({ id }) => id).toReversed()
    assert.deepStrictEqual(yield* listed(), ids)
    yield* done(ids[1] ?? "")
    assert.deepStrictEqual(yield* listed("unprocessed"), [ids[0], ids[2], ids[3], ids[4]])
    const rest = yield* inbox.list({ state: "unprocessed", beforeId: ids[2], limit: 1 })
    assert.deepStrictEqual(
      rest.map(({ id }) => id),
      [ids[3]],
    )
    assert.deepStrictEqual(rest, [stored(notices[1] ?? (yield* newNotice()))])
  }),
  { settings: { partitions: 4 } },
)

const contents: StoreCase = storeCase(
  "a body of several notices is stored once, and the others read it from the notice that has it",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const content = { body: "enc:v2:0:long", headers: "enc:v2:0:some" }
    const first = yield* take({ content })
    const { bodyHash } = first
    const elsewhere = yield* freshId("inb_", 1)
    const other = yield* take({ id: elsewhere, bodyHash, content: { noticeId: first.id } })
    assert.deepStrictEqual(yield* inbox.content(first.id), content)
    assert.deepStrictEqual(yield* inbox.content(other.id), content)
    assert.deepStrictEqual(yield* inbox.load(other.id), stored(other))
    const repeat = ({ providerEventId }: ReceivedNotice, hash: string) =>
      Effect.flatMap(newNotice({ providerEventId, bodyHash: hash }), inbox.receive)
    assert.deepStrictEqual(yield* repeat(first, bodyHash), duplicateOf(first.id, first.id))
    assert.deepStrictEqual(yield* repeat(first, "another"), duplicateOf(first.id))
    const again = yield* newNotice({ ...other, id: yield* freshId("inb_", 1) })
    assert.deepStrictEqual(yield* inbox.receive(again), duplicateOf(other.id, first.id))
    assert.isUndefined(yield* inbox.content(again.id))
  }),
)

const room = 10_000
/** A notice that takes exactly half of the room, or `more` bytes above that. */
const halfOf = (more = 0) =>
  Effect.map(newNotice({ content: { body: "", headers: "" } }), (notice) => {
    const body = "x".repeat(room / 2 - noticeBytes(notice) + more)
    return { ...notice, content: { body, headers: "" } }
  })

const full: StoreCase = storeCase(
  "a full inbox drops processed notices, oldest first, and refuses new ones when none are left",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    const [one, two] = [yield* halfOf(), yield* halfOf()]
    for (const notice of [one, two]) {
      assert.deepStrictEqual(yield* inbox.receive(notice), { kind: "received", id: notice.id })
    }
    const three = yield* halfOf()
    assert.deepStrictEqual(yield* inbox.receive(three), { kind: "full" })
    assert.deepStrictEqual(yield* listed(), [two.id, one.id])
    const bad = yield* take({ signatureValid: false })
    yield* done(two.id)
    yield* done(one.id)
    assert.deepStrictEqual(yield* inbox.receive(three), { kind: "received", id: three.id })
    assert.deepStrictEqual(yield* listed(), [bad.id, three.id, two.id].toSorted().toReversed())
    const { providerEventId } = one
    const known = yield* newNotice({ providerEventId })
    assert.deepStrictEqual(yield* inbox.receive(known), duplicateOf(one.id), "its event has been processed")
    yield* inbox.reprocess(two.id, doneAt)
    assert.deepStrictEqual(yield* inbox.receive(yield* halfOf()), { kind: "full" }, "it waits again")
    yield* done(two.id)
    assert.deepStrictEqual(yield* inbox.receive(yield* halfOf(1)), { kind: "full" }, "one byte too many")
    const last = yield* halfOf()
    assert.deepStrictEqual(yield* inbox.receive(last), { kind: "received", id: last.id })
  }),
  { settings: { inboxBytesMax: room } },
)

const freed: StoreCase = storeCase(
  "an inbox has room again when what it holds is past retention, processed or not",
  Effect.gen(function* () {
    const inbox = yield* InboxStore
    for (const isDone of [true, false, true]) {
      const [one, two] = [yield* halfOf(), yield* halfOf()]
      for (const notice of [one, two]) {
        assert.deepStrictEqual(yield* inbox.receive(notice), { kind: "received", id: notice.id })
      }
      assert.deepStrictEqual(yield* inbox.receive(yield* halfOf()), { kind: "full" })
      if (isDone) yield* done(one.id)
      yield* elapse(retentionMillis + 200)
      // Recording a notice past its retention drops its timer and does not subtract its bytes twice.
      yield* done(two.id)
    }
  }),
  { settings: { inboxBytesMax: room, eventRetentionMillis: retentionMillis } },
)

/** The inbox of acquirers' notices (`docs/contract/notices.md#recording`). */
export const inboxCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a received notice is stored whole and is due for processing at once",
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const notice = yield* take()
      assert.deepStrictEqual(yield* inbox.load(notice.id), stored(notice))
      const payout = yield* take({ transactionId: undefined, withdrawalId: "wd_x", endToEndId: undefined })
      const nothing = yield* take({ eventType: undefined, transactionId: undefined })
      assert.deepStrictEqual(yield* inbox.load(payout.id), stored(payout))
      assert.deepStrictEqual(yield* inbox.load(nothing.id), stored(nothing))
      assert.deepStrictEqual((yield* dueNotices).toSorted(), [notice.id, payout.id, nothing.id])
    }),
  ),
  duplicates,
  repeated,
  unsigned,
  bounded,
  results,
  again,
  unknown,
  retention,
  lists,
  contents,
  full,
  freed,
]
