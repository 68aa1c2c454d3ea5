import { Duration, Effect, Schedule } from "effect"
import { ExchangeFailed } from "./mtlsExchange.ts"

/** Short outages are over by then, and both retries fit well within the deadline. */
const firstRetryMillis = 200
/** More retries would only load an acquirer that is down. */
const retriesMax = 2

/**
 * Retries transient failures (429, 5xx, connection) at most twice: after 200 ms and 400 ms, or as `Retry-After` says
 * unless that exceeds the deadline. Only for idempotent calls.
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

/** Fails after the deadline, which covers token, retries and pauses. */
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
