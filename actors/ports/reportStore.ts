import { Context, type Effect } from "effect"
import type { CsvLocale } from "../../schema/csv.ts"
import type { StatementFormat } from "../../schema/exportFormats.ts"
import type { Feed, Mode } from "../../schema/ids.ts"
import type { ReportKind, ReportPeriod } from "../../schema/names.ts"
import type { ReportDays } from "../values/reportPeriods.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** What was mailed last of a report. */
export interface SentReport extends ReportDays {
  readonly atMillis: number
  /** How many mails were given up. */
  readonly failed: number
}

/** A report by mail as stored. */
export interface StoredReport {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  readonly kind: ReportKind
  readonly format: StatementFormat
  readonly locale: CsvLocale
  readonly every: ReportPeriod
  /** Who gets it, as ciphertext. */
  readonly recipients: string
  readonly createdAt: string
  /** When it is due, in ms; undefined: nobody is left to get it. */
  readonly nextMillis: number | undefined
  readonly last: SentReport | undefined
}

/** How far the mailing of a period is. */
export interface ReportRun {
  /** The first day of the period. */
  readonly from: string
  /** Who needs no mail any more. */
  readonly done: ReadonlyArray<string>
  /** How many of them got none. */
  readonly failed: number
  /** How often it was tried before. */
  readonly tries: number
}

/** A report that is being mailed, under a lease. */
export interface ClaimedReport {
  readonly report: StoredReport
  readonly run: ReportRun | undefined
  /** Whether somebody asked for it now: it is mailed though its period was before. */
  readonly isAsked: boolean
  readonly leaseEndMillis: number
}

/** A link in a mail: whoever has its secret may read the report's file of these days. */
export interface ReportLink extends ReportDays {
  /** The SHA-256 of its secret, in base64url. */
  readonly hash: string
  readonly endsMillis: number
}

/** How the mailing of a period goes on: `againInMillis` later, or with the next period once all that could be done is done. */
export type ReportEnd =
  | { readonly kind: "again"; readonly from: string; readonly inMillis: number }
  | {
      readonly kind: "over"
      readonly nextMillis: number
      /** Undefined: there was nothing to mail. */
      readonly sent: Omit<SentReport, "atMillis"> | undefined
    }

/** What became of asking for a report now. */
export type SendNowAnswer =
  | { readonly kind: "due"; readonly dueMillis: number }
  | { readonly kind: "missing" }
  | { readonly kind: "nobody" }

type Noted = Effect.Effect<{ readonly kind: "noted" | "stale" }, StoreUnavailable>

/**
 * Reports by mail (docs/contract/reports.md). One that somebody is to get has a timer, which is due with it. `stale`: the lease was lost,
 * or the report is deleted.
 */
export class ReportStore extends Context.Service<
  ReportStore,
  {
    /** Keeps a new report and sets its timer: `created`, or `limit` where the seller has `reportsMax` of the mode. */
    readonly create: (
      report: StoredReport,
      reportsMax: number,
    ) => Effect.Effect<{ readonly kind: "created" | "limit" }, StoreUnavailable>
    /** The reports of a seller and mode, newest first. */
    readonly list: (feed: Feed) => Effect.Effect<ReadonlyArray<StoredReport>, StoreUnavailable>
    readonly load: (id: string) => Effect.Effect<StoredReport | undefined, StoreUnavailable>
    /** Deletes a report of a seller and mode, its links and its timer. */
    readonly remove: (
      feed: Feed,
      id: string,
    ) => Effect.Effect<{ readonly kind: "removed" | "missing" }, StoreUnavailable>
    /** Lets a report of a seller and mode go out now: `due` since then (ms), or `nobody` where everyone has unsubscribed. */
    readonly sendNow: (feed: Feed, id: string) => Effect.Effect<SendNowAnswer, StoreUnavailable>
    /** Leases a report that is due; undefined where it is not, is being mailed, or is gone. */
    readonly claim: (id: string) => Effect.Effect<ClaimedReport | undefined, StoreUnavailable>
    /** Keeps the link of a mail that is about to go out, and the lease for as long again; `noted` has the new one. */
    readonly keepLink: (
      claimed: ClaimedReport,
      link: ReportLink,
    ) => Effect.Effect<ClaimedReport | undefined, StoreUnavailable>
    /** Notes that somebody needs no mail of the period that begins with a day: it was sent, or (`isFailed`) never can be. */
    readonly noteMail: (claimed: ClaimedReport, from: string, recipient: string, isFailed: boolean) => Noted
    /** Ends the lease. */
    readonly finish: (claimed: ClaimedReport, end: ReportEnd) => Noted
    /** Replaces who gets a report, if nobody has meanwhile; without anybody left (`isLast`) it is never due. */
    readonly changeRecipients: (report: StoredReport, recipients: string, isLast: boolean) => Noted
    /** The report and the days of a link by the hash of its secret; undefined where there is none. It may have ended. */
    readonly findLink: (
      id: string,
      hash: string,
    ) => Effect.Effect<
      { readonly report: StoredReport; readonly link: ReportLink } | undefined,
      StoreUnavailable
    >
  }
>()("corrente/actors/ReportStore") {}
