import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ReportStore, type StoredReport } from "../../../actors/ports/reportStore.ts"
import { RequestDelay } from "../../../actors/ports/requestDelay.ts"
import { TimerQueue } from "../../../actors/ports/timerQueue.ts"
import { nextReportMillis } from "../../../actors/values/reportPeriods.ts"
import { makeId, partitionOfId } from "../../../schema/ids.ts"
import { ReportRecipients, ReportRecipientsLive } from "../../../src/accounts/reports/reportRecipients.ts"
import { reportTimers } from "../../../src/accounts/reports/reportTimers.ts"
import { type Mail, Mailer, MailFailed } from "../../../src/mail/mailer.ts"
import { OwnAddress } from "../../../src/mail/ownAddress.ts"
import { settle } from "../../actors/support/settle.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { openSeller, SecretsLive } from "../sellers/sellerFixture.ts"

const minuteMillis = 60_000
const hourMillis = 60 * minuteMillis

const [ana, rui] = ["ana@example.com", "rui@example.com"]

/** A moment by the clocks of São Paulo. */
const at = (text: string): number => Date.parse(`${text}-03:00`)

/** What the mail server took. */
let mails: Array<Mail> = []
/** Whom it refuses for now. */
let busy: ReadonlyArray<string> = []

const handIn = (mail: Mail) =>
  Effect.suspend(() => {
    if (busy.includes(mail.to)) return Effect.fail(new MailFailed({ reason: "450", isFinal: false }))
    mails.push(mail)
    return Effect.void
  })

const ServicesLive = Layer.mergeAll(
  Layer.mock(Mailer, { handIn }),
  Layer.mock(OwnAddress, { base: () => "https://pay.example.com", here: () => "http://localhost" }),
  Layer.succeed(RequestDelay, { currentMillis: () => 0, inProgress: () => 0, started: () => 0 }),
  ReportRecipientsLive.pipe(Layer.provide(SecretsLive)),
  MemoryStoreLive(),
)

/** Keeps a report of each day for Ana and Rui, made in the evening of 2026-11-20. */
const openDaily = Effect.gen(function* () {
  const madeMillis = at("2026-11-20T21:00")
  yield* TestClock.setTime(madeMillis)
  mails = []
  busy = []
  const { id: sellerId } = yield* openSeller()
  const recipients = yield* ReportRecipients
  const id = makeId("rpt_", madeMillis, partitionOfId(sellerId) ?? 0, new Uint8Array(14))
  const report: StoredReport = {
    id,
    sellerId,
    mode: "live",
    kind: "statement",
    format: "ofx",
    locale: "en",
    every: "day",
    recipients: recipients.seal(id, recipients.of([ana, rui])),
    createdAt: new Date(madeMillis).toISOString(),
    nextMillis: nextReportMillis(id, "day", madeMillis),
    last: undefined,
  }
  yield* (yield* ReportStore).create(report, 1)
  return report
})

/** Runs the service for a time: it fires what is due, minute by minute. */
const serve = ({ id }: StoredReport, millis: number) =>
  Effect.gen(function* () {
    const [queue, handler] = [yield* TimerQueue, yield* reportTimers]
    for (let passed = 0; passed < millis; passed += minuteMillis) {
      yield* TestClock.adjust(minuteMillis)
      const { due } = yield* queue.claim(partitionOfId(id) ?? 0, 50)
      yield* handler.fire(due)
      if (due.length > 0) yield* settle
    }
  }).pipe(Effect.scoped)

const lastOf = ({ id }: StoredReport) =>
  Effect.gen(function* () {
    const last = (yield* (yield* ReportStore).load(id))?.last
    return last && { days: `${last.from} to ${last.to}`, failed: last.failed }
  })

/** The days of the mails that somebody got. */
const daysMailedTo = (email: string) =>
  mails.filter(({ to }) => to === email).map(({ subject }) => subject.slice(-10))

describe("the timers of reports", () => {
  it.effect("a service that was away for several periods mails the last one, once, and then the next", () =>
    Effect.gen(function* () {
      const report = yield* openDaily
      yield* TestClock.setTime(at("2026-11-24T14:00"))
      yield* serve(report, 10 * hourMillis)
      for (const email of [ana, rui]) assert.deepStrictEqual(daysMailedTo(email), ["2026-11-23"])
      assert.deepStrictEqual(yield* lastOf(report), { days: "2026-11-23 to 2026-11-23", failed: 0 })
      yield* serve(report, 10 * hourMillis)
      for (const email of [ana, rui]) {
        assert.deepStrictEqual(daysMailedTo(email), ["2026-11-23", "2026-11-24"])
      }
    }).pipe(Effect.provide(ServicesLive)),
  )

  it.effect("nothing is mailed before the early morning after the period has ended", () =>
    Effect.gen(function* () {
      const report = yield* openDaily
      yield* serve(report, 8 * hourMillis - minuteMillis)
      assert.deepStrictEqual(mails, [])
      yield* serve(report, hourMillis + minuteMillis)
      for (const email of [ana, rui]) assert.deepStrictEqual(daysMailedTo(email), ["2026-11-20"])
    }).pipe(Effect.provide(ServicesLive)),
  )

  it.effect("who asks gets the last period at once, though it was mailed, and the schedule goes on", () =>
    Effect.gen(function* () {
      const report = yield* openDaily
      const { sendNow } = yield* ReportStore
      const feed = { sellerId: report.sellerId, mode: report.mode }
      yield* sendNow(feed, report.id)
      yield* serve(report, minuteMillis)
      assert.deepStrictEqual(daysMailedTo(ana), ["2026-11-19"], "before its first morning")
      yield* serve(report, 10 * hourMillis)
      assert.deepStrictEqual(daysMailedTo(ana), ["2026-11-19", "2026-11-20"])
      busy = [rui]
      yield* sendNow(feed, report.id)
      yield* serve(report, minuteMillis)
      busy = []
      yield* serve(report, hourMillis)
      for (const email of [ana, rui]) {
        assert.deepStrictEqual(daysMailedTo(email), ["2026-11-19", "2026-11-20", "2026-11-20"])
      }
      yield* serve(report, 24 * hourMillis)
      for (const email of [ana, rui]) assert.deepStrictEqual(daysMailedTo(email).slice(3), ["2026-11-21"])
      assert.deepStrictEqual(yield* lastOf(report), { days: "2026-11-21 to 2026-11-21", failed: 0 })
    }).pipe(Effect.provide(ServicesLive)),
  )

  it.effect("a period that was sent in the night is not mailed again in the morning", () =>
    Effect.gen(function* () {
      const report = yield* openDaily
      yield* TestClock.setTime(at("2026-11-21T01:00"))
      yield* (yield* ReportStore).sendNow({ sellerId: report.sellerId, mode: report.mode }, report.id)
      yield* serve(report, 12 * hourMillis)
      assert.deepStrictEqual(daysMailedTo(ana), ["2026-11-20"])
    }).pipe(Effect.provide(ServicesLive)),
  )

  it.effect(
    "a mail server that is away for most of a day delays a mail, and one that stays away fails it",
    () =>
      Effect.gen(function* () {
        const report = yield* openDaily
        busy = [rui]
        yield* serve(report, 24 * hourMillis)
        assert.deepStrictEqual([daysMailedTo(ana), daysMailedTo(rui)], [["2026-11-20"], []])
        assert.isUndefined(yield* lastOf(report), "its last try is still to come")
        yield* serve(report, 4 * hourMillis)
        assert.deepStrictEqual(yield* lastOf(report), { days: "2026-11-20 to 2026-11-20", failed: 1 })
        busy = []
        yield* serve(report, 6 * hourMillis)
        assert.deepStrictEqual(daysMailedTo(ana), ["2026-11-20", "2026-11-21"])
        assert.deepStrictEqual(daysMailedTo(rui), ["2026-11-21"])
      }).pipe(Effect.provide(ServicesLive)),
  )
})
