import { Effect, Exit, Tracer } from "effect"
import { tellSpan } from "../../../actors/values/traceSpan.ts"
import type { Sampler } from "../../tracing/sampler.ts"
import type { Reply, RequestFailure } from "../server/reply.ts"
import type { Incoming, Route } from "../server/route.ts"
import { failureToError } from "./failure.ts"

type Program = Effect.Effect<Reply, RequestFailure>

/** The header that a sampler reads. */
export const traceparentHeader = "traceparent"

const statusOf = (exit: Exit.Exit<Reply, RequestFailure>): number => {
  if (Exit.isFailure(exit)) return failureToError(exit.cause)?.status ?? 500
  return "stream" in exit.value ? 200 : exit.value.status
}

/** Ids and names of routes: what a request brings else may be a customer's. */
const describe = (
  { method, path }: Pick<Route, "method" | "path">,
  incoming: Incoming,
  exit: Exit.Exit<Reply, RequestFailure>,
): Effect.Effect<void> =>
  tellSpan((span) => {
    span.attribute("http.request.method", method)
    span.attribute("http.route", path)
    span.attribute("http.response.status_code", statusOf(exit))
    span.attribute("corrente.request.id", incoming.requestId)
    span.attribute("corrente.seller.id", incoming.principal?.sellerId)
    span.attribute("corrente.mode", incoming.principal?.mode)
  })

/**
 * Wraps a route's program: where the sampler chooses a request, it runs in a span named by the route, which continues the caller's
 * `traceparent`. All others run as they are.
 */
export const traceRequests = (
  sampler: Sampler,
  route: Pick<Route, "method" | "path" | "headerNames" | "takesAllHeaders" | "sellerOf">,
  program: (incoming: Incoming) => Program,
): ((incoming: Incoming) => Program) => {
  const at = route.takesAllHeaders ? -1 : route.headerNames.indexOf(traceparentHeader)
  const name = `${route.method} ${route.path}`
  return (incoming) => {
    const isKnown = () =>
      incoming.authorization !== undefined && route.sellerOf?.(incoming.authorization) !== undefined
    const sampled = sampler(incoming.headers[at] ?? "", isKnown)
    if (sampled === undefined) return program(incoming)
    const { parent } = sampled
    const from =
      parent === undefined ? { root: true } : { parent: Tracer.externalSpan({ ...parent, sampled: true }) }
    return Effect.suspend(() => program(incoming)).pipe(
      Effect.onExit((exit) => describe(route, incoming, exit)),
      Effect.withSpan(name, { ...from, kind: "server" }, { captureStackTrace: false }),
    )
  }
}
