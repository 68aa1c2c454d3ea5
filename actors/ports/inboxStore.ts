import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./store.ts"

/** A provider's notice as it was received; body and headers are ciphertext (decisions 4). */
export interface ReceivedNotice {
  /** `inb_…`; its partition is the charge's or withdrawal's, where the notice names one. */
  readonly id: string
  readonly acquirerSlug: string
  readonly providerEventId: string
  readonly eventType: string | undefined
  readonly signatureValid: boolean
  readonly receivedAt: string
  readonly transactionId: string | undefined
  readonly withdrawalId: string | undefined
  readonly endToEndId: string | undefined
  readonly refundId: string | undefined
  readonly body: string
  readonly headers: string
}

/** A notice with what became of it. */
export interface StoredNotice extends ReceivedNotice {
  /** How often it was processed. */
  readonly attempts: number
  /** When it was confirmed and applied, or found to call for nothing. */
  readonly processedAt: string | undefined
  readonly error: string | undefined
  readonly reprocessedAt: string | undefined
}

/** What an operator's list shows, newest first by id. */
export interface InboxPage {
  /** `unprocessed`: those that wait or were given up; undefined: all. */
  readonly state: "unprocessed" | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** How one processing of a notice ended. */
export interface NoticeResult {
  readonly id: string
  /** ISO text; undefined: it is to be tried again, or is given up. */
  readonly processedAt: string | undefined
  /** Why it was not applied, or what was unusual in it. */
  readonly error: string | undefined
  /** When to try again, in ms from now; undefined: no more. */
  readonly retryAfterMillis: number | undefined
}

/** The timer of a notice that waits to be processed. */
export const noticeTimerName = "process"

/** Providers' webhooks: recorded first, processed after (decisions 3). */
export class InboxStore extends Context.Service<
  InboxStore,
  {
    /**
     * Records a notice and the timer that processes it, in one step. `duplicate`: a notice of the same acquirer and
     * provider event id, rightly signed, is there; where that one is not done yet it is tried again at once, since the
     * news may be true now. One with a bad signature is recorded, never processed and never a duplicate of anything;
     * the oldest of those give way.
     */
    readonly receive: (
      notice: ReceivedNotice,
    ) => Effect.Effect<{ readonly kind: "received" | "duplicate"; readonly id: string }, StoreUnavailable>
    readonly load: (id: string) => Effect.Effect<StoredNotice | undefined, StoreUnavailable>
    /** Counts an attempt and writes how it ended; its timer is set anew or dropped. */
    readonly record: (result: NoticeResult) => Effect.Effect<void, StoreUnavailable>
    /** Has a notice processed again; `badSignature`: never (decisions 3). */
    readonly reprocess: (
      id: string,
      at: string,
    ) => Effect.Effect<{ readonly kind: "queued" | "badSignature" | "missing" }, StoreUnavailable>
    readonly list: (page: InboxPage) => Effect.Effect<ReadonlyArray<StoredNotice>, StoreUnavailable>
  }
>()("corrente/actors/InboxStore") {}
