import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type ReportLink, ReportStore, type StoredReport } from "../../actors/ports/reportStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { reportTimerName } from "../../actors/values/reportPeriods.ts"
import { limits } from "../../schema/limits.ts"
import { freshIdBeside, openShop, unique } from "./fixtures.ts"
import { elapse, nowMillis, type StoreCase, storeCase, timedCase } from "./stage.ts"

/** A report that is not yet written, due long ago. */
const newReport = ({ sellerId, mode }: Principal, more: Partial<StoredReport> = {}) =>
  Effect.map(
    freshIdBeside("rpt_", sellerId),
    (id): StoredReport => ({
      ...{ id, sellerId, mode, kind: "statement", format: "ofx", locale: "en", every: "week" },
      ...{ recipients: `enc:v2:k:${unique("sealed")}`, createdAt: "2026-11-21T12:00:00.000Z" },
      ...{ nextMillis: 1, last: undefined },
      ...more,
    }),
  )

const openReport = (owner: Principal, more: Partial<StoredReport> = {}) =>
  Effect.gen(function* () {
    yield* elapse(2)
    const report = yield* newReport(owner, more)
    const { kind } = yield* (yield* ReportStore).create(report, 9)
    assert.strictEqual(kind, "created")
    return report
  })

const isDue = (partition: number, { id }: StoredReport) =>
  Effect.gen(function* () {
    const { due } = yield* (yield* TimerQueue).claim(partition, 50)
    return due.some(({ name, resourceId }) => name === reportTimerName && resourceId === id)
  })

const claimed = ({ id }: StoredReport) =>
  Effect.gen(function* () {
    const found = yield* (yield* ReportStore).claim(id)
    return found ?? (yield* Effect.die(new Error("the report is not due")))
  })

const linkOf = (hash: string, endsMillis = 4_000_000_000_000): ReportLink => ({
  ...{ hash, endsMillis, from: "2026-11-16", to: "2026-11-22" },
})

const noted = { kind: "noted" } as const
const stale = { kind: "stale" } as const

const kept: StoreCase = storeCase(
  "reports are kept whole, listed newest first, and are those of their seller and mode alone",
  Effect.gen(function* () {
    const store = yield* ReportStore
    const { live, test, partition } = yield* openShop()
    const first = yield* openReport(live)
    const second = yield* openReport(live, { kind: "transactions", format: "xlsx", every: "month" })
    assert.deepStrictEqual(yield* store.create(first, 1), { kind: "created" }, "its reply was lost")
    assert.deepStrictEqual(yield* store.list(live), [second, first])
    assert.deepStrictEqual(yield* store.load(first.id), first)
    assert.deepStrictEqual(yield* store.list(test), [])
    for (const feed of [test, (yield* openShop()).live]) {
      assert.deepStrictEqual(yield* store.remove(feed, first.id), { kind: "missing" })
    }
    assert.isTrue(yield* isDue(partition, first))
    assert.deepStrictEqual(yield* store.remove(live, first.id), { kind: "removed" })
    assert.deepStrictEqual(yield* store.remove(live, first.id), { kind: "missing" })
    assert.deepStrictEqual(yield* store.list(live), [second])
    assert.isUndefined(yield* store.load(first.id))
    assert.isUndefined(yield* store.claim(first.id))
  }),
)

const bound: StoreCase = storeCase(
  "a mode has so many reports and not one more, and the other mode has its own",
  Effect.gen(function* () {
    const store = yield* ReportStore
    const { live, test } = yield* openShop()
    for (const _ of [1, 2]) {
      assert.deepStrictEqual(yield* store.create(yield* newReport(live), 2), { kind: "created" })
    }
    assert.deepStrictEqual(yield* store.create(yield* newReport(live), 2), { kind: "limit" })
    assert.deepStrictEqual(yield* store.create(yield* newReport(test), 2), { kind: "created" })
  }),
)

const mailing: StoreCase = storeCase(
  "a report that is due is mailed by one at a time, who notes each mail, and then waits for its next period",
  Effect.gen(function* () {
    const store = yield* ReportStore
    const { live, partition } = yield* openShop()
    const report = yield* openReport(live)
    const first = yield* claimed(report)
    assert.deepStrictEqual([first.report, first.run], [report, undefined])
    assert.isUndefined(yield* store.claim(report.id), "somebody mails it")
    const renewed = yield* store.keepLink(first, linkOf("one"))
    if (renewed === undefined) return assert.fail("the lease was lost")
    assert.isAbove(renewed.leaseEndMillis, first.leaseEndMillis)
    assert.deepStrictEqual(yield* store.noteMail(first, "2026-11-16", "a", false), stale)
    assert.deepStrictEqual(yield* store.noteMail(renewed, "2026-11-16", "a", false), noted)
    assert.deepStrictEqual(yield* store.noteMail(renewed, "2026-11-16", "b", true), noted)
    const nextMillis = (yield* nowMillis) + 3_600_000
    const sent = { from: "2026-11-16", to: "2026-11-22", failed: 1 }
    assert.deepStrictEqual(yield* store.finish(renewed, { kind: "over", nextMillis, sent }), noted)
    assert.deepStrictEqual(yield* store.finish(renewed, { kind: "over", nextMillis, sent }), stale)
    const after = yield* store.load(report.id)
    const { atMillis, ...last } = after?.last ?? { atMillis: 0 }
    assert.deepStrictEqual([last, after?.nextMillis], [sent, nextMillis])
    assert.isAtMost(Math.abs(atMillis - (yield* nowMillis)), 60_000)
    assert.isUndefined(yield* store.claim(report.id), "it is not due")
    assert.isFalse(yield* isDue(partition, report))
  }),
)

const goingOn: StoreCase = timedCase(
  "who dies is followed by another who mails the rest, and what fails for now is tried again",
  Effect.gen(function* () {
    const store = yield* ReportStore
    const { live, partition } = yield* openShop()
    const report = yield* openReport(live)
    const dead = yield* claimed(report)
    yield* store.noteMail(dead, "2026-11-16", "a", false)
    yield* elapse(limits.reportLeaseMillis - 1)
    assert.isUndefined(yield* store.claim(report.id))
    yield* elapse(1)
    assert.isTrue(yield* isDue(partition, report))
    const heir = yield* claimed(report)
    const run = { from: "2026-11-16", done: ["a"], failed: 0, tries: 0 }
    assert.deepStrictEqual(heir.run, run)
    assert.deepStrictEqual(yield* store.noteMail(dead, "2026-11-16", "b", false), stale)
    assert.isUndefined(yield* store.keepLink(dead, linkOf("late")))
    const again = { kind: "again", from: "2026-11-16", inMillis: 300_000 } as const
    assert.deepStrictEqual(yield* store.finish(heir, again), noted)
    yield* elapse(299_999)
    assert.isUndefined(yield* store.claim(report.id))
    yield* elapse(1)
    assert.isTrue(yield* isDue(partition, report))
    const retry = yield* claimed(report)
    assert.deepStrictEqual(retry.run, { ...run, tries: 1 })
    yield* store.noteMail(retry, "2026-11-23", "a", false)
    yield* elapse(limits.reportLeaseMillis)
    const next = yield* claimed(report)
    assert.deepStrictEqual(next.run, { ...run, from: "2026-11-23" }, "a run of its own for each period")
    yield* store.finish(next, { kind: "over", nextMillis: 1, sent: undefined })
    const rest = yield* claimed(report)
    assert.deepStrictEqual([rest.run, rest.report.last], [undefined, undefined])
  }),
)

const links: StoreCase = storeCase(
  "a link leads to its report and days until the report is deleted, and those that have ended make room",
  Effect.gen(function* () {
    const store = yield* ReportStore
    const { live } = yield* openShop()
    const report = yield* openReport(live)
    const other = yield* openReport(live)
    const ended = linkOf("ended", 1_000)
    const first = yield* store.keepLink(yield* claimed(report), linkOf("one"))
    const second = first && (yield* store.keepLink(first, linkOf("two")))
    if (second === undefined) return assert.fail("the lease was lost")
    assert.deepStrictEqual(yield* store.findLink(report.id, "one"), { report, link: linkOf("one") })
    assert.deepStrictEqual((yield* store.findLink(report.id, "two"))?.link, linkOf("two"))
    assert.isUndefined(yield* store.findLink(other.id, "one"))
    assert.isUndefined(yield* store.findLink(report.id, "three"))
    yield* store.remove(live, report.id)
    assert.isUndefined(yield* store.findLink(report.id, "one"))
    assert.isUndefined(yield* store.keepLink(second, linkOf("late")), "its report is gone")
    const third = yield* store.keepLink(yield* claimed(other), ended)
    if (third === undefined) return assert.fail("the lease was lost")
    yield* store.keepLink(third, linkOf("four"))
    assert.isUndefined(yield* store.findLink(other.id, "ended"))
    assert.isDefined(yield* store.findLink(other.id, "four"))
  }),
)

const leaving: StoreCase = storeCase(
  "recipients are replaced unless they have changed, and a report without any is never due",
  Effect.gen(function* () {
    const store = yield* ReportStore
    const { live, partition } = yield* openShop()
    const report = yield* openReport(live)
    assert.deepStrictEqual(yield* store.changeRecipients(report, "enc:v2:k:fewer", false), noted)
    assert.deepStrictEqual(yield* store.changeRecipients(report, "enc:v2:k:other", false), stale)
    const fewer = { ...report, recipients: "enc:v2:k:fewer" }
    assert.deepStrictEqual(yield* store.load(report.id), fewer)
    const mailed = yield* claimed(fewer)
    assert.deepStrictEqual(yield* store.changeRecipients(fewer, "enc:v2:k:none", true), noted)
    assert.isUndefined((yield* store.load(report.id))?.nextMillis)
    yield* store.finish(mailed, { kind: "over", nextMillis: 1, sent: undefined })
    assert.isUndefined((yield* store.load(report.id))?.nextMillis, "it ended while it was mailed")
    assert.isFalse(yield* isDue(partition, report))
    assert.isUndefined(yield* store.claim(report.id))
  }),
)

const sending: StoreCase = storeCase(
  "a report that is asked for is due at once, stays asked until it was mailed, and is its seller's and mode's alone",
  Effect.gen(function* () {
    const store = yield* ReportStore
    const { live, test, partition } = yield* openShop()
    const farMillis = (yield* nowMillis) + 3_600_000
    const report = yield* openReport(live, { nextMillis: farMillis })
    for (const feed of [test, (yield* openShop()).live]) {
      assert.deepStrictEqual(yield* store.sendNow(feed, report.id), { kind: "missing" })
    }
    assert.isUndefined(yield* store.claim(report.id), "it is not due")
    const asked = yield* store.sendNow(live, report.id)
    if (asked.kind !== "due") return assert.fail(asked.kind)
    assert.isAtMost(Math.abs(asked.dueMillis - (yield* nowMillis)), 60_000)
    assert.strictEqual((yield* store.load(report.id))?.nextMillis, asked.dueMillis)
    assert.isTrue(yield* isDue(partition, report))
    const first = yield* claimed(report)
    assert.isTrue(first.isAsked)
    yield* store.finish(first, { kind: "again", from: "2026-11-16", inMillis: 0 })
    const second = yield* claimed(report)
    assert.isTrue(second.isAsked, "a mail failed for now")
    const sent = { from: "2026-11-16", to: "2026-11-22", failed: 0 }
    yield* store.finish(second, { kind: "over", nextMillis: 1, sent })
    const scheduled = yield* claimed(report)
    assert.isFalse(scheduled.isAsked)
    assert.strictEqual((yield* store.sendNow(live, report.id)).kind, "due", "while it is looked at")
    yield* store.finish(scheduled, { kind: "over", nextMillis: farMillis, sent: undefined })
    const third = yield* claimed(report)
    assert.isTrue(third.isAsked, "the one before mailed nothing")
    yield* store.finish(third, { kind: "over", nextMillis: farMillis, sent })
    assert.isUndefined(yield* store.claim(report.id))
    yield* store.changeRecipients(report, "enc:v2:k:none", true)
    assert.deepStrictEqual(yield* store.sendNow(live, report.id), { kind: "nobody" })
    yield* store.remove(live, report.id)
    assert.deepStrictEqual(yield* store.sendNow(live, report.id), { kind: "missing" })
  }),
)

/** Reports by mail (docs/contract/reports.md). */
export const reportCases: ReadonlyArray<StoreCase> = [kept, bound, mailing, goingOn, links, leaving, sending]
