import { Effect, type Scope } from "effect"
import { makeRegistrar } from "../../actors/metrics/registrar.ts"

/** What became of a mail: `failed` after its last try, `dropped` if too many waited. */
const outcomes = ["sent", "failed", "dropped"] as const

/** Counts mails in the metrics, until the scope closes. */
export const makeMailMetrics: Effect.Effect<
  { readonly count: (outcome: (typeof outcomes)[number]) => Effect.Effect<void> },
  never,
  Scope.Scope
> = Effect.map(makeRegistrar, ({ counter }) => {
  const mails = { sent: 0, failed: 0, dropped: 0 }
  for (const outcome of outcomes) {
    const series = {
      name: "corrente_mails_total",
      description: "Mails, by what became of them",
      labels: { outcome },
    }
    counter(series, () => mails[outcome])
  }
  return {
    count: (outcome) =>
      Effect.sync(() => {
        mails[outcome] += 1
      }),
  }
})
