import { type Context, Effect, Exit } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import type { Principal } from "../../actors/ports/transactionStore.ts"
import { ApiKeyAuth } from "../../schema/api/security.ts"
import { ApiError } from "../../schema/errors.ts"
import { Authenticator } from "./authenticator.ts"
import { type Decoder, makeDecoder } from "./decoder.ts"
import type { Handlers, HandlersContext, Reply, RequestFailure } from "./request.ts"
import type { Incoming, Route } from "./route.ts"

type Program = Effect.Effect<Reply, RequestFailure, unknown>
type AnyHandler = (request: unknown) => Program

/** Runs the handler on what was decoded; where nothing could be, the key's validity decides between 401 and 400. */
const answer = (
  authenticator: Authenticator["Service"],
  decoder: Decoder,
  handler: AnyHandler,
  incoming: Incoming,
  principal: Principal | undefined,
): Program => {
  const request = decoder.decode(incoming, principal)
  if (!(request instanceof ApiError)) return handler(request)
  if (principal === undefined) return Effect.fail(request)
  return Effect.andThen(authenticator.confirm(principal), Effect.fail(request))
}

const makeRoute = (
  endpoint: HttpApiEndpoint.Top,
  handler: AnyHandler,
  context: Context.Context<unknown>,
  authenticator: Authenticator["Service"],
): Route => {
  const decoder = makeDecoder(endpoint)
  const secured = [...endpoint.middlewares].some(({ key }) => key === ApiKeyAuth.key)
  const fork = Effect.runForkWith(context)
  const program = (incoming: Incoming): Program => {
    if (!secured) return answer(authenticator, decoder, handler, incoming, undefined)
    const authenticated = authenticator.authenticate(incoming.authorization)
    // A cached answer needs no step of its own.
    if (Exit.isExit(authenticated) && Exit.isSuccess(authenticated)) {
      return answer(authenticator, decoder, handler, incoming, authenticated.value)
    }
    return Effect.flatMap(authenticated, (principal) =>
      answer(authenticator, decoder, handler, incoming, principal),
    )
  }
  return {
    method: endpoint.method,
    path: endpoint.path,
    paramCount: decoder.paramCount,
    headerNames: decoder.headerNames,
    takesQuery: decoder.takesQuery,
    takesBody: decoder.takesBody,
    secured,
    streams: decoder.streams,
    start: (incoming) => fork(program(incoming)),
  }
}

/**
 * Binds a contract to its handlers: a route for every endpoint, its decoders compiled here and once. A missing or
 * misnamed handler does not compile. Programs run on the context captured here.
 *
 * A request passes: authentication, content type, body, decoding, handler. A contract that uses what is not supported
 * (several payloads, a payload of another type than JSON) dies here, at the start.
 */
export const bindApi = <Api extends HttpApi.Top, const H extends Handlers<Api>>(
  api: Api,
  handlers: H & { readonly [Name in Exclude<keyof H, keyof Handlers<Api>>]: never },
): Effect.Effect<ReadonlyArray<Route>, never, Authenticator | HandlersContext<H>> =>
  Effect.gen(function* () {
    const context: Context.Context<unknown> = yield* Effect.context<Authenticator | HandlersContext<H>>()
    const authenticator = yield* Authenticator
    const byName: Readonly<Record<string, AnyHandler | undefined>> = handlers as never
    const routes: Array<Route> = []
    HttpApi.reflect(api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const handler = byName[endpoint.identifier]
        if (handler === undefined) throw new Error(`bindApi: no handler for ${endpoint.identifier}`)
        routes.push(makeRoute(endpoint, handler, context, authenticator))
      },
    })
    return routes
  })
