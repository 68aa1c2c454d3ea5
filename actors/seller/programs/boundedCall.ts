import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { AcquirerUnavailable } from "../../ports/acquirer.ts"

/**
 * Gives an acquirer's call a deadline, whatever its adapter does. What a call came to that missed it is unknown
 * (docs/decisions/0046-unknown-is-not-failed.md).
 */
export const boundedCall = <A, E>(
  operation: string,
  call: Effect.Effect<A, E>,
): Effect.Effect<A, E | AcquirerUnavailable> =>
  Effect.timeoutOrElse(call, {
    duration: limits.acquirerTimeoutMillis,
    orElse: () =>
      Effect.fail(
        new AcquirerUnavailable({
          operation,
          reason: `no answer within ${limits.acquirerTimeoutMillis / 1000} s`,
        }),
      ),
  })
