import { type Context, Effect, Exit, type Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import type { Principal } from "../../actors/ports/transactionStore.ts"
import { ApiKeyAuth } from "../../schema/api/security.ts"
import { ApiError } from "../../schema/errors.ts"
import { Authenticator } from "./authenticator.ts"
import { type Decoder, makeDecoder } from "./decoder.ts"
import type { Handlers, Reply, RequestFailure } from "./request.ts"
import type { Incoming, Route } from "./route.ts"

/** Its services are in the context that the route captured. */
type Program = Effect.Effect<Reply, RequestFailure>
type AnyHandler = (request: unknown) => Program

/** What `HttpApiSchema.asText` leaves on a schema; the module exports no reader of it. */
const encodingOf = SchemaAST.resolveAt<{ readonly contentType: string }>("~httpApiEncoding")

const isEventStream = (success: Schema.Top): boolean =>
  encodingOf(success.ast)?.contentType === "text/event-stream"

/** The principal where it is known already, which costs no step of a program. */
const known = (authenticated: Effect.Effect<Principal, RequestFailure>): Principal | undefined =>
  Exit.isExit(authenticated) && Exit.isSuccess(authenticated) ? (authenticated.value as Principal) : undefined

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
  context: Context.Context<never>,
  authenticator: Authenticator["Service"],
): Route => {
  const decoder = makeDecoder(endpoint)
  const secured = endpoint.middlewares.size > 0
  for (const { key } of endpoint.middlewares) {
    // A check that nobody makes would leave the endpoint open.
    if (key !== ApiKeyAuth.key)
      throw new Error(`The front end knows no ${key}, which ${endpoint.identifier} bears`)
  }
  const fork = Effect.runForkWith(context)
  const program = (incoming: Incoming): Program => {
    if (!secured) return answer(authenticator, decoder, handler, incoming, undefined)
    const authenticated = authenticator.authenticate(incoming.authorization)
    const principal = known(authenticated)
    if (principal !== undefined) return answer(authenticator, decoder, handler, incoming, principal)
    return Effect.flatMap(authenticated, (found) => answer(authenticator, decoder, handler, incoming, found))
  }
  return {
    method: endpoint.method,
    path: endpoint.path,
    paramCount: decoder.paramCount,
    headerNames: decoder.headerNames,
    takesQuery: decoder.takesQuery,
    takesBody: decoder.takesBody,
    secured,
    streams: [...endpoint.success].some(isEventStream),
    start: (incoming) => fork(program(incoming)),
  }
}

/**
 * Binds a contract to its handlers: a route for every endpoint, its decoders compiled here and once. A missing or
 * misnamed handler does not compile. Handlers hold the services they need; programs run on the references (logger,
 * clock) of the context that is captured here.
 *
 * A request passes: authentication, parameters, headers, content type, body, handler. A contract that uses what is not
 * supported (another middleware than ApiKeyAuth, a payload other than one JSON schema) dies here, at the start.
 */
export const bindApi = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  handlers: Handlers<HttpApi.HttpApi<Id, Groups>>,
): Effect.Effect<ReadonlyArray<Route>, never, Authenticator> =>
  Effect.gen(function* () {
    const context = yield* Effect.context()
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
