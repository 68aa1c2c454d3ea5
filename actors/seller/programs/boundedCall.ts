import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { AcquirerUnavailable } from "../../ports/acquirer.ts"
import { CurrentTrace } from "../../values/currentTrace.ts"

/**
 * Gives an acquirer's call a deadline, whatever its adapter does, and the trace id of the resource that it is about. What a
 * call came to that missed it is unknown (docs/decisions/0046-unknown-is-not-failed.md).
 */
export const boundedCall = <A, E>(
  operation: string,
  call: Effect.Effect<A, E>,
  traceId?: string,
): Effect.Effect<A, E | AcquirerUnavailable> =>
  Effect.timeoutOrElse(Effect.provideService(call, CurrentTrace, traceId), {
    duration: limits.acquirerTimeoutMillis,
    orElse: () =>
      Effect.fail(
        new AcquirerUnavailable({
          operation,
          reason: `no answer within ${limits.acquirerTimeoutMillis / 1000} s`,
        }),
      ),
  })
