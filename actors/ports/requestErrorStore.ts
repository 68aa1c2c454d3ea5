import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A request that was refused to a seller, without its body. */
export interface StoredRequestError {
  readonly atMillis: number
  readonly requestId: string
  readonly method: string
  /** The route's template: ids and tokens of the path are not kept. */
  readonly route: string
  readonly status: number
  readonly code: string
  readonly param: string | undefined
  readonly message: string
  /** Undefined: a session asked. */
  readonly apiKeyId: string | undefined
}

/** A seller's newest refused requests, by mode; older and earlier ones are forgotten. */
export class RequestErrorStore extends Context.Service<
  RequestErrorStore,
  {
    /** Adds some, at most `limits.requestErrorsKept`, oldest first. */
    readonly note: (
      feed: Feed,
      errors: ReadonlyArray<StoredRequestError>,
    ) => Effect.Effect<void, StoreUnavailable>
    /** All that are kept, newest first. */
    readonly list: (feed: Feed) => Effect.Effect<ReadonlyArray<StoredRequestError>, StoreUnavailable>
  }
>()("corrente/actors/RequestErrorStore") {}
