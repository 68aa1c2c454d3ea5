import { Effect, type Scope } from "effect"
import { makeRegistrar } from "../../actors/metrics/registrar.ts"
import type { Admission } from "./admission.ts"
import type { LoadMeter } from "./loadMeter.ts"

/** Shows the load of this process among the metrics, until the scope closes. */
export const registerLoadMetrics = (
  meter: LoadMeter,
  admission: Admission,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.map(makeRegistrar, (registrar) => {
    registrar.histogram(
      {
        name: "corrente_event_loop_delay_seconds",
        description:
          "How late a timer runs that is due 50 times a second, 5 times while there are no requests",
      },
      meter.lags,
    )
    registrar.gauge(
      { name: "corrente_http_requests_in_progress", description: "Requests that wait or are worked on" },
      () => meter.making,
    )
    registrar.gauge(
      { name: "corrente_http_requests_waiting", description: "Requests that wait for their turn" },
      () => admission.waiting,
    )
  })
