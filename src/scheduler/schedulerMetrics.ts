import { Clock, Effect } from "effect"
import { makeRegistrar } from "../../actors/metrics/registrar.ts"

/** Shows how the scheduler keeps up among the metrics, until the scope closes. */
export const registerSchedulerMetrics = Effect.fnUntraced(function* (scheduler: {
  readonly partitionsHeld: () => number
  readonly lagMillis: (nowMillis: number) => number
}) {
  const clock = yield* Clock.Clock
  const startedMillis = clock.currentTimeMillisUnsafe()
  const { gauge } = yield* makeRegistrar
  gauge(
    { name: "corrente_partitions_held", description: "Partitions whose due work a process runs" },
    scheduler.partitionsHeld,
  )
  const lag = {
    name: "corrente_scheduler_lag_seconds",
    description: "Time since the held partitions were last looked at for due timers and deliveries",
  }
  gauge(lag, () => {
    const nowMillis = clock.currentTimeMillisUnsafe()
    // Infinite before the first look.
    return Math.min(scheduler.lagMillis(nowMillis), nowMillis - startedMillis) / 1_000
  })
})
