import { Duration, Effect, Schedule } from "effect"
import { ExchangeFailed } from "./mtlsExchange.ts"

/** A hiccup is over by then, and both retries fit into a call's deadline many times. */
const firstRetryMillis = 200
/** More would only add load to a partner that is down. */
const retriesMax = 2

/**
 * Tries again what failed by a hiccup (429, 5xx, connection), at most twice: after 200 ms and 400 ms, or when the
 * partner's `Retry-After` says, unless that is beyond the deadline anyway. Only for what may be done twice.
 */
export const repeating =
  (deadlineMillis: number) =>
  <A>(attempt: Effect.Effect<A, ExchangeFailed>): Effect.Effect<A, ExchangeFailed> =>
    Effect.retry(
      attempt,
      Schedule.exponential(firstRetryMillis).pipe(
        Schedule.setInputType<ExchangeFailed>(),
        Schedule.while(({ input }) => input.isTransient && (input.retryAfterMillis ?? 0) < deadlineMillis),
        Schedule.modifyDelay(({ input, duration }) =>
          Effect.succeed(Math.max(Duration.toMillis(duration), input.retryAfterMillis ?? 0)),
        ),
        Schedule.upTo({ times: retriesMax }),
      ),
    )

/** Gives up after the deadline, which is over everything: the token, the retries and the pauses between them. */
export const within =
  (deadlineMillis: number) =>
  <A>(attempt: Effect.Effect<A, ExchangeFailed>): Effect.Effect<A, ExchangeFailed> =>
    Effect.timeoutOrElse(attempt, {
      duration: deadlineMillis,
      orElse: () =>
        Effect.fail(
          new ExchangeFailed({
            reason: `did not answer within ${deadlineMillis} ms`,
            isTransient: false,
            retryAfterMillis: undefined,
          }),
        ),
    })
