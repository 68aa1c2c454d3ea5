/**
 * How a report goes out (docs/contract/reports.md):
 * 1. Its timer is due in the morning after a day, week or month has ended (actors/values/reportPeriods.ts).
 * 2. The report is leased (src/store/reports.lua). Each recipient without a mail of the period gets one: its link is kept, the mail is
 *    handed in, and that is noted.
 * 3. It is due again after the next period, or soon where a mail failed for now.
 *
 * Whoever asks for a report now makes it due at once: it goes the same way, though its last period was mailed before.
 *
 * If the process dies between handing a mail in and noting it, that one is mailed twice; no other is, and none is lost. A service that
 * was away mails the last whole period, once.
 */

import { Clock, Effect, FiberSet } from "effect"
import { type ClaimedReport, ReportStore } from "../../../actors/ports/reportStore.ts"
import { RequestDelay } from "../../../actors/ports/requestDelay.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { fireEach } from "../../../actors/timers/fireEach.ts"
import { requestsFirst } from "../../../actors/timers/requestsFirst.ts"
import {
  lastPeriod,
  nextReportMillis,
  type ReportDays,
  reportTimerName,
} from "../../../actors/values/reportPeriods.ts"
import { limits } from "../../../schema/limits.ts"
import { Mailer } from "../../mail/mailer.ts"
import { OwnAddress } from "../../mail/ownAddress.ts"
import { reportText } from "../../mail/reportTexts.ts"
import { type Recipient, ReportRecipients } from "./reportRecipients.ts"

const minuteMillis = 60_000

/** Waits between tries; after the last there is none. They outlast a mail server that is away for most of a day. */
const waitsMillis: ReadonlyArray<number> = [1, 5, 15, 60, 240, 720].map((minutes) => minutes * minuteMillis)

const linkMillis = limits.reportLinkDays * 24 * 60 * minuteMillis

/** A mail to one recipient: `useless` where it will never arrive. */
type Mailed = "sent" | "failed" | "useless"

const makeSend = Effect.gen(function* () {
  const mailer = yield* Mailer
  const recipients = yield* ReportRecipients
  const { base } = yield* OwnAddress

  /** Mails the link with that secret. */
  return (
    { report }: ClaimedReport,
    shop: string,
    days: ReportDays,
    recipient: Recipient,
    link: { readonly secret: string; readonly endsMillis: number },
  ) => {
    const endLink = `${base()}/reports/end/${recipients.tokenOf(report.id, recipient.secret)}`
    const news = {
      ...{ kind: report.kind, isTest: report.mode === "test", shop, ...days, endLink },
      fileLink: `${base()}/reports/${recipients.tokenOf(report.id, link.secret)}`,
      linkEndsMillis: link.endsMillis,
    }
    const mail = {
      ...reportText(news, report.locale),
      to: recipient.email,
      purpose: "report",
      headers: {
        "List-Unsubscribe": `<${endLink}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
    }
    return Effect.match(mailer.handIn(mail), {
      onSuccess: (): Mailed => "sent",
      onFailure: ({ isFinal }): Mailed => (isFinal ? "useless" : "failed"),
    })
  }
})

/** Makes the function that mails a leased report to all who have no mail of the period. It ends early where the lease is lost. */
const makeMailAll = Effect.gen(function* () {
  const store = yield* ReportStore
  const sellers = yield* SellerStore
  const recipients = yield* ReportRecipients
  const requests = yield* RequestDelay
  const send = yield* makeSend

  return Effect.fnUntraced(function* (first: ClaimedReport, days: ReportDays) {
    const { report, run } = first
    const known = run?.from === days.from ? run : undefined
    const all = recipients.open(report)
    if (all === undefined) yield* Effect.logError(`who gets ${report.id} opens under no key`)
    const left = (all ?? []).filter((one) => known?.done.includes(recipients.nameOf(one)) !== true)
    const shop = (yield* sellers.get(report.sellerId))?.name ?? ""
    let claimed = first
    let [useless, failed] = [known?.failed ?? 0, 0]
    for (const recipient of left) {
      yield* requestsFirst(requests)
      const secret = recipients.newSecret()
      const endsMillis = (yield* Clock.currentTimeMillis) + linkMillis
      const link = { ...days, hash: recipients.digest(secret), endsMillis }
      const renewed = yield* store.keepLink(claimed, link)
      if (renewed === undefined) return undefined
      claimed = renewed
      const mailed = yield* send(claimed, shop, days, recipient, { secret, endsMillis })
      if (mailed === "failed") {
        failed += 1
        continue
      }
      if (mailed === "useless") useless += 1
      const name = recipients.nameOf(recipient)
      const { kind } = yield* store.noteMail(claimed, days.from, name, mailed === "useless")
      if (kind === "stale") return undefined
    }
    return { claimed, failed, useless, tries: known?.tries ?? 0 }
  })
})

/** The timers of reports. */
export const reportTimers = Effect.gen(function* () {
  const store = yield* ReportStore
  const mailAll = yield* makeMailAll
  const running = yield* FiberSet.make()

  const mail = Effect.fnUntraced(function* (id: string) {
    const first = yield* store.claim(id)
    if (first === undefined) return
    const nowMillis = yield* Clock.currentTimeMillis
    const { every, last } = first.report
    const nextMillis = nextReportMillis(id, every, nowMillis)
    const days = lastPeriod(every, nowMillis)
    if (!first.isAsked && last !== undefined && last.from >= days.from) {
      yield* store.finish(first, { kind: "over", nextMillis, sent: undefined })
      return
    }
    const result = yield* mailAll(first, days)
    if (result === undefined) return
    const { claimed, failed, useless, tries } = result
    const inMillis = waitsMillis[tries]
    if (failed > 0 && inMillis !== undefined) {
      yield* store.finish(claimed, { kind: "again", from: days.from, inMillis })
      return
    }
    if (failed + useless > 0) {
      yield* Effect.logWarning(`${failed + useless} mails of ${id} were given up`)
    }
    yield* store.finish(claimed, { kind: "over", nextMillis, sent: { ...days, failed: failed + useless } })
  })

  return fireEach([reportTimerName], ({ resourceId }) =>
    Effect.flatMap(FiberSet.size(running), (size) => {
      if (size >= limits.reportsInProcessMax) return Effect.void
      const all = Effect.catchCause(mail(resourceId), (cause) =>
        Effect.logDebug(`${resourceId} is mailed later`, cause),
      )
      return Effect.asVoid(FiberSet.run(running, all))
    }),
  )
})
