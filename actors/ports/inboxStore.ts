import { Context, type Effect } from "effect"
import type { NoticeContent, ReceivedNotice } from "../values/receivedNotice.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A notice and its processing, without its content. */
export interface StoredNotice extends Omit<ReceivedNotice, "content"> {
  /** How often it was processed. */
  readonly attempts: number
  /** When it was confirmed and applied, or found to need nothing. */
  readonly processedAt: string | undefined
  readonly error: string | undefined
  readonly reprocessedAt: string | undefined
}

/** A page of an operator's list, newest first by id. */
export interface InboxPage {
  /** `unprocessed`: notices that wait or were given up; undefined: all. */
  readonly state: "unprocessed" | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** The result of processing a notice once. */
export interface NoticeResult {
  readonly id: string
  /** ISO text; undefined: it is tried again, or given up. */
  readonly processedAt: string | undefined
  /** Why it was not applied, or what was unusual about it. */
  readonly error: string | undefined
  /** When to try again, in ms from now; undefined: no more. */
  readonly retryAfterMillis: number | undefined
}

/** Acquirers' notices: recorded first, processed after (docs/contract/notices.md#recording). */
export class InboxStore extends Context.Service<
  InboxStore,
  {
    /**
     * Records a notice and the timer that processes it, in one step. `duplicate`: a correctly signed notice with the same
     * acquirer and event id exists; if it is not done yet, it is tried again at once, since it may be confirmed by now. A
     * notice with a bad signature is recorded, never processed and never a duplicate; the oldest of those are removed to make
     * room. Where a duplicate came in the same body, `contentOf` names the notice that keeps the body. A partition without room
     * removes its oldest notices that are done; where those that are not done leave no room, it is `full`.
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
    /** A notice's body and headers, wherever they are kept; undefined where they were removed, or there is no such notice. */
    readonly content: (id: string) => Effect.Effect<NoticeContent | undefined, StoreUnavailable>
    /** Counts an attempt and writes its result; sets the timer anew or drops it. */
    readonly record: (result: NoticeResult) => Effect.Effect<void, StoreUnavailable>
    /** Queues a notice to be processed again; one with a bad signature never is. */
    readonly reprocess: (
      id: string,
      at: string,
    ) => Effect.Effect<{ readonly kind: "queued" | "badSignature" | "missing" }, StoreUnavailable>
    readonly list: (page: InboxPage) => Effect.Effect<ReadonlyArray<StoredNotice>, StoreUnavailable>
  }
>()("corrente/actors/InboxStore") {}
