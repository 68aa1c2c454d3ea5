import { Cause, Effect, Exit, type Scope } from "effect"
import { callBounds, Histogram } from "../../actors/metrics/histogram.ts"
import { makeRegistrar, type Registrar } from "../../actors/metrics/registrar.ts"
import { type Acquirer, AcquirerRefused } from "../../actors/ports/acquirer.ts"

/** How a call ends: `unavailable` if there is no answer, or none that can be understood, in time. */
const outcomes = ["answered", "refused", "unavailable"] as const
type CallOutcome = (typeof outcomes)[number]

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): CallOutcome => {
  if (Exit.isSuccess(exit)) return "answered"
  const error = Cause.findErrorOption(exit.cause)
  return error._tag === "Some" && error.value instanceof AcquirerRefused ? "refused" : "unavailable"
}

/** Makes the function that measures the calls of an operation. */
const makeMeasure =
  ({ counter, histogram }: Registrar, acquirer: string) =>
  (operation: string) => {
    const counts = { answered: 0, refused: 0, unavailable: 0 }
    for (const outcome of outcomes) {
      const series = {
        name: "corrente_acquirer_calls_total",
        description: "Calls to acquirers, by how they ended",
        labels: { acquirer, operation, outcome },
      }
      counter(series, () => counts[outcome])
    }
    const durations = new Histogram(callBounds)
    const series = {
      name: "corrente_acquirer_call_duration_seconds",
      description: "How long calls to acquirers took",
      labels: { acquirer, operation },
    }
    histogram(series, durations)
    return <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const beganMillis = performance.now()
        return Effect.onExit(call, (exit) => {
          counts[outcomeOf(exit)] += 1
          durations.recordSince(beganMillis)
          return Effect.void
        })
      })
  }

/** An acquirer whose calls show among the metrics, until the scope closes. */
export const measured = (acquirer: Acquirer): Effect.Effect<Acquirer, never, Scope.Scope> =>
  Effect.map(makeRegistrar, (registrar) => {
    const measure = makeMeasure(registrar, acquirer.slug)
    const { books, queryPix, queryBalance } = acquirer
    const timed = <Request, A, E>(operation: string, call: (request: Request) => Effect.Effect<A, E>) => {
      const measureCall = measure(operation)
      return (request: Request) => measureCall(call(request))
    }
    const listed = <Window, Page, A, E>(
      operation: string,
      list: (window: Window, page: Page) => Effect.Effect<A, E>,
    ) => {
      const measureCall = measure(operation)
      return (window: Window, page: Page) => measureCall(list(window, page))
    }
    return {
      ...acquirer,
      createCharge: timed("create_charge", acquirer.createCharge),
      queryCharge: timed("query_charge", acquirer.queryCharge),
      cancelCharge: timed("cancel_charge", acquirer.cancelCharge),
      refund: timed("refund", acquirer.refund),
      queryRefund: timed("query_refund", acquirer.queryRefund),
      sendPayout: timed("send_payout", acquirer.sendPayout),
      queryPayout: timed("query_payout", acquirer.queryPayout),
      queryPix: queryPix && timed("query_pix", queryPix),
      queryBalance: queryBalance && measure("query_balance")(queryBalance),
      books: books && {
        listReceived: listed("list_received", books.listReceived),
        listReturned: books.listReturned && listed("list_returned", books.listReturned),
        listSent: books.listSent && listed("list_sent", books.listSent),
      },
    }
  })
