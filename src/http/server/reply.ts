import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import type { StreamConnection } from "../../feed/streamConnection.ts"

/** Headers of an answer, in order. Names and values must be valid header text. */
export type ReplyHeaders = ReadonlyArray<readonly [string, string]>

/** An answer whose body is finished JSON text; "" for a status without a body. */
export interface JsonReply {
  readonly status: number
  readonly body: string
  readonly headers?: ReplyHeaders
}

/** An answer of another type, for documents. Frequent constant answers should be bytes, which must not change. */
export interface TextReply {
  readonly status: number
  readonly text: string | Uint8Array
  readonly contentType: string
  readonly headers?: ReplyHeaders
}

/**
 * The page in place of an error's JSON, for a person who opened the address. `accepted` is their `Accept-Language`; `headers` are
 * those of the error, such as `Retry-After`.
 */
export type ErrorPage = (accepted: string, status: number, headers: ReplyHeaders | undefined) => TextReply

/**
 * An answer of status 200 that is sent while it is made: a `text/event-stream` unless `contentType` says otherwise.
 * `stream` is called exactly once, even if the client has left meanwhile: the connection's `onEnded` then calls back at
 * once, so that reserved resources are released.
 */
export interface StreamReply {
  readonly stream: (connection: StreamConnection) => void
  readonly contentType?: string
  readonly headers?: ReplyHeaders
}

export type Reply = JsonReply | TextReply | StreamReply

/** How a handler may fail: an error for the caller, or an unavailable store (503). */
export type RequestFailure = ApiError | StoreUnavailable
