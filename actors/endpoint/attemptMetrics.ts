import { Effect, type Scope } from "effect"
import { type AttemptStatus, attemptStatuses } from "../../schema/resources/delivery.ts"
import { callBounds, Histogram } from "../metrics/histogram.ts"
import { makeRegistrar } from "../metrics/registrar.ts"

/**
 * Makes the function that counts attempts in the metrics, by how they are recorded. `responseMillis` is how long the receiver took;
 * null where it was not asked or did not answer.
 */
export const makeAttemptMetrics: Effect.Effect<
  (status: AttemptStatus, responseMillis: number | null) => void,
  never,
  Scope.Scope
> = Effect.map(makeRegistrar, ({ counter, histogram }) => {
  const attempts = new Map(attemptStatuses.map((status) => [status, 0]))
  for (const outcome of attemptStatuses) {
    const series = {
      name: "corrente_delivery_attempts_total",
      description:
        "Attempts to deliver an event, by outcome; dead is the last attempt of a delivery that failed",
      labels: { outcome },
    }
    counter(series, () => attempts.get(outcome) ?? 0)
  }
  const durations = new Histogram(callBounds)
  const series = {
    name: "corrente_delivery_response_seconds",
    description: "How long receivers took to answer attempts",
  }
  histogram(series, durations)
  return (status, responseMillis) => {
    attempts.set(status, (attempts.get(status) ?? 0) + 1)
    if (responseMillis !== null) durations.record(responseMillis / 1_000)
  }
})
