import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./store.ts"

/** A webhook's body and headers: ciphertext. */
export interface NoticeContent {
  readonly body: string
  readonly headers: string
}

/** A provider's notice as it was received. */
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
  /** SHA-256 of the body that told of it, in base64url. */
  readonly bodyHash: string
  /** One body is kept once, with one of its notices; the others name that one. */
  readonly content: NoticeContent | { readonly noticeId: string }
}

/** A notice with what became of it, without its content. */
export interface StoredNotice extends Omit<ReceivedNotice, "content"> {
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

/** What Redis takes for a notice besides its texts: its hash, indexes, timer and what remembers its event. */
const noticeOverheadBytes = 1_500

/** What a notice counts with in its partition's inbox. */
export const noticeBytes = ({ content, providerEventId }: ReceivedNotice): number =>
  noticeOverheadBytes +
  2 * providerEventId.length +
  ("noticeId" in content ? 0 : content.body.length + content.headers.length)

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
     * the oldest of those give way. Of a `duplicate` whose body is this very one, `contentOf` names the notice that keeps it.
     * Where a partition's notices take as much as they may, the oldest that are done give way, and where those that are not
     * done leave no room it is `full`.
     */
    readonly receive: (
      notice: ReceivedNotice,
    ) => Effect.Effect<
      | { readonly kind: "received"; readonly id: string }
      | { readonly kind: "duplicate"; readonly id: string; readonly contentOf: string | undefined }
      | { readonly kind: "full" },
      StoreUnavailable
    >
    readonly load: (id: string) => Effect.Effect<StoredNotice | undefined, StoreUnavailable>
    /** Body and headers of a notice, wherever they lie; undefined where they gave way before it, or there is none. */
    readonly content: (id: string) => Effect.Effect<NoticeContent | undefined, StoreUnavailable>
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
