import { Clock, Context, Effect, Layer } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { ReportStore, type StoredReport } from "../../../actors/ports/reportStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { foldAddress, maskedEmail } from "../../../actors/values/emailAddress.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { nextReportMillis } from "../../../actors/values/reportPeriods.ts"
import { ApiError, resourceNotFound, serviceUnavailable, validationFailed } from "../../../schema/errors.ts"
import { tableFormats } from "../../../schema/exportFormats.ts"
import { isId, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { CreateReport, Report } from "../../../schema/resources/report.ts"
import { askAgain } from "../askAgain.ts"
import { SellerAudit } from "../sellerAudit.ts"
import { Users } from "../users/users.ts"
import { ReportRecipients } from "./reportRecipients.ts"

/** Refuses what no schema can: an address that is listed twice, or OFX of a list. */
const refusalOf = ({ kind, format, emails }: CreateReport): ApiError<"validation_failed"> | undefined => {
  if (kind !== "statement" && !tableFormats.some((known) => known === format)) {
    return validationFailed("format", `${format} is only for the statement.`)
  }
  const folded = emails.map(foldAddress)
  const twice = folded.findIndex((email, i) => folded.indexOf(email) < i)
  return twice < 0 ? undefined : validationFailed(`emails.${twice}`, "This address is listed twice.")
}

const iso = (millis: number): string => new Date(millis).toISOString()

const make = Effect.gen(function* () {
  const store = yield* ReportStore
  const sellers = yield* SellerStore
  const users = yield* Users
  const audit = yield* SellerAudit
  const identifiers = yield* Identifiers
  const recipients = yield* ReportRecipients

  const shown = (stored: StoredReport): Report => {
    const { id, mode, kind, format, locale, every, createdAt, nextMillis, last } = stored
    return {
      ...{ id, object: "report", mode, kind, format, locale, every },
      emails: (recipients.open(stored) ?? []).map(({ email }) => email),
      created_at: createdAt,
      next_at: nextMillis === undefined ? null : iso(nextMillis),
      last:
        last === undefined
          ? null
          : { from: last.from, to: last.to, sent_at: iso(last.atMillis), failed: last.failed },
    }
  }

  /** Only who is identified may have mails sent to others, and only about real money. */
  const checkAddresses = Effect.fnUntraced(function* (
    { sellerId, mode }: Principal,
    userId: string,
    emails: ReadonlyArray<string>,
  ) {
    const own = foldAddress((yield* users.find(userId))?.email ?? "")
    const other = emails.findIndex((email) => foldAddress(email) !== own)
    if (other < 0) return
    if (mode === "test") {
      return yield* validationFailed(`emails.${other}`, "In test mode, reports go only to your own address.")
    }
    if ((yield* sellers.get(sellerId))?.kycStatus !== "approved") {
      return yield* new ApiError({
        code: "kyc_required",
        message:
          "Reports go to others once your identification is approved. Until then, use your own address.",
      })
    }
  })

  /** The report that a token ends, for whom, and who else gets it; undefined where it ends nothing. */
  const leaverOf = Effect.fnUntraced(function* (token: string) {
    const named = recipients.readToken(token)
    const report = named && (yield* store.load(named.reportId))
    if (named === undefined || report === undefined) return undefined
    const all = recipients.open(report) ?? []
    const leaver = all.find((one) => recipients.isOf(one, named.secret))
    return leaver && { report, leaver, left: all.filter((one) => one !== leaver) }
  })

  return {
    /** The reports of a seller and mode, newest first. */
    list: (principal: Principal) => Effect.map(store.list(principal), (found) => found.map(shown)),

    /** Makes a report; fails with 400 `validation_failed`, 403 `kyc_required`, or 409 `invalid_state` where there are too many. */
    create: Effect.fnUntraced(function* (principal: Principal, userId: string, asked: CreateReport) {
      const refused = refusalOf(asked)
      if (refused !== undefined) return yield* refused
      yield* checkAddresses(principal, userId, asked.emails)
      const { sellerId, mode } = principal
      const { kind, format, locale = "pt-BR", every, emails } = asked
      const nowMillis = yield* Clock.currentTimeMillis
      const id = identifiers.id("rpt_", partitionOfId(sellerId) ?? 0, nowMillis)
      const report: StoredReport = {
        ...{ id, sellerId, mode, kind, format, locale, every },
        recipients: recipients.seal(id, recipients.of(emails)),
        createdAt: iso(nowMillis),
        nextMillis: nextReportMillis(id, every, nowMillis),
        last: undefined,
      }
      const details = { mode, kind, format, every, emails: emails.map(maskedEmail) }
      const deed = { action: "report.created", resourceType: "report", details } as const
      const made = askAgain(store.create(report, limits.reportsPerModeMax))
      const { kind: answer } = yield* audit.does(principal, deed, made)
      if (answer === "created") return shown(report)
      return yield* new ApiError({
        code: "invalid_state",
        message: `A mode has at most ${limits.reportsPerModeMax} reports. Delete one to make another.`,
        details: { limit: limits.reportsPerModeMax },
      })
    }),

    /** A report of a seller and mode; fails with 404. */
    get: Effect.fnUntraced(function* ({ sellerId, mode }: Principal, id: string) {
      const found = isId("rpt_", id) ? yield* store.load(id) : undefined
      if (found?.sellerId === sellerId && found.mode === mode) return found
      return yield* resourceNotFound("report", id)
    }),

    /** Lets a report go out now, with its last whole period; fails with 404, or 409 `invalid_state` where nobody gets it any more. */
    sendNow: Effect.fnUntraced(function* (principal: Principal, report: StoredReport) {
      const { id, mode } = report
      const deed = { action: "report.sent", resourceType: "report", details: { mode } } as const
      const answer = yield* audit.does(principal, deed, askAgain(store.sendNow(principal, id)))
      if (answer.kind === "missing") return yield* resourceNotFound("report", id)
      if (answer.kind === "nobody") {
        return yield* new ApiError({
          code: "invalid_state",
          message: "Everyone has unsubscribed from this report. Make another one to send it.",
        })
      }
      return shown({ ...report, nextMillis: answer.dueMillis })
    }),

    /** Deletes a report and its links; fails with 404. */
    remove: Effect.fnUntraced(function* (principal: Principal, id: string) {
      const deed = {
        action: "report.deleted",
        resourceType: "report",
        details: { mode: principal.mode },
      } as const
      const removed = isId("rpt_", id)
        ? yield* audit.does(principal, deed, store.remove(principal, id))
        : undefined
      if (removed?.kind !== "removed") return yield* resourceNotFound("report", id)
    }),

    /** Whether a token ends a report for somebody. */
    isEndable: (token: string) => Effect.map(leaverOf(token), (found) => found !== undefined),

    /** Ends a report for whoever has a token; false where it ends nothing. */
    end: Effect.fnUntraced(function* (token: string) {
      for (let tries = 0; tries < limits.decisionsMax; tries++) {
        const found = yield* leaverOf(token)
        if (found === undefined) return false
        const { report, leaver, left } = found
        const sealed = recipients.seal(report.id, left)
        const details = { mode: report.mode, email: maskedEmail(leaver.email) }
        const deed = { action: "report.left", resourceType: "report", details } as const
        const changed = store.changeRecipients(report, sealed, left.length === 0)
        const { kind } = yield* audit.doesByMail(report.sellerId, deed, changed)
        if (kind === "noted") return true
      }
      return yield* serviceUnavailable("Too many people are leaving this report at once. Try again soon.", 1)
    }),
  }
})

/** Reports by mail (docs/contract/reports.md). */
export class Reports extends Context.Service<Reports, Effect.Success<typeof make>>()(
  "corrente/accounts/Reports",
) {}

export const ReportsLive = Layer.effect(Reports, make)
