import type { Effect } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { ErrorCode } from "../../schema/errorCodes.ts"
import type { ApiError } from "../../schema/errors.ts"

/** What an operation of the accounts comes to: an answer, an error of some codes that its caller is meant to see, or an unreachable store. */
export type Outcome<A, Code extends ErrorCode> = Effect.Effect<A, ApiError<Code> | StoreUnavailable>
