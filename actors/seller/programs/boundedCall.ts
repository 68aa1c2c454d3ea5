import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { AcquirerUnavailable } from "../../ports/acquirer.ts"

/** A partner's call that ends in time whatever its adapter does: what it came to is unknown then (rule 7). */
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
