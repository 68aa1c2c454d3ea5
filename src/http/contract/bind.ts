/**
 * How the contract becomes routes. At the start, once for each endpoint:
 * 1. Its schemas are compiled into a decoder; its middleware chooses who may call: an API key, a session, both, or anybody.
 * 2. Its handler is found by name. What is not supported, or has no handler, stops the start.
 *
 * Then, for each request:
 * 3. The credential is authenticated from the cache; whether it is still valid is asked with the handler's own read or commit.
 *    Where an API key is bound to addresses, the client's is compared with them.
 * 4. The API key's rate is taken and its scope compared with the route's, then parameters, headers and body are decoded.
 * 5. The handler runs. An error that the store did not decide confirms the key first: a revoked key is 401 whatever it asks for.
 */

import { Context, Effect, Exit, type Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { scopeBit } from "../../../actors/values/apiKeyAccess.ts"
import type { KeyPrincipal, Principal } from "../../../actors/values/principal.ts"
import { AlsoAt, AsksAcquirer, Audited, Probe, RawBody } from "../../../schema/api/common.ts"
import {
  ApiKeyAuth,
  BrowserGuard,
  FeedAuth,
  KeyScope,
  OperatorAuth,
  RolesOfMembers,
  SellerAuth,
  sessionCookieName,
  stepUpOf,
  TestModeOnly,
  UserAuth,
} from "../../../schema/api/security.ts"
import type { ApiKeyScope } from "../../../schema/apiKeyScopes.ts"
import { ApiError } from "../../../schema/errors.ts"
import { modes } from "../../../schema/ids.ts"
import type { MemberRole } from "../../../schema/memberRoles.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { RequestSampler, type Sampler } from "../../tracing/sampler.ts"
import type { Reply, RequestFailure } from "../server/reply.ts"
import type { Handlers } from "../server/request.ts"
import type { Incoming, Route, RouteClass } from "../server/route.ts"
import { Authenticator } from "./authenticator.ts"
import { type BrowserRequest, BrowserRequests, browserHeaderNames } from "./browserRequest.ts"
import { compressJson } from "./compressedJson.ts"
import { type Caller, type Decoder, makeDecoder } from "./decoder.ts"
import type { KeyLimit } from "./quota.ts"
import { ofBrowser, ofKey } from "./requestFacts.ts"
import { traceparentHeader, traceRequests } from "./requestSpan.ts"
import { admitSession, SessionAuthenticator, type SessionDemand } from "./sessionGuard.ts"

/** Its services are in the context captured by the route. */
type Program = Effect.Effect<Reply, RequestFailure>
type AnyHandler = (request: unknown) => Program

/** The annotation that `HttpApiSchema.asText` leaves; the module exports no reader for it. */
const encodingOf = SchemaAST.resolveAt<{ readonly contentType: string }>("~httpApiEncoding")

const isEventStream = (success: Schema.Top): boolean =>
  encodingOf(success.ast)?.contentType === "text/event-stream"

/** The principal if it is known already, which saves a step of the program. */
const known = (authenticated: Effect.Effect<KeyPrincipal, RequestFailure>): KeyPrincipal | undefined =>
  Exit.isExit(authenticated) && Exit.isSuccess(authenticated)
    ? (authenticated.value as KeyPrincipal)
    : undefined

/** The services that check credentials, and the rate of API keys if there is one; and who is traced, if anybody. */
interface Guards {
  readonly sampler: Sampler | undefined
  readonly limit: KeyLimit | undefined
  readonly keys: Authenticator["Service"]
  readonly sessions: SessionAuthenticator["Service"]
  readonly browsers: BrowserRequests["Service"]
}

/** Decodes a caller's request and runs the handler on it. */
type Answer = (incoming: Incoming, caller: Caller) => Program

const nobody: Caller = { principal: undefined, session: undefined, browser: undefined }
const caller = (principal: Principal): Caller => ({ principal, session: undefined, browser: undefined })

const refuse = (keys: Authenticator["Service"], principal: Principal, error: ApiError): Program =>
  Effect.andThen(keys.confirm(principal), Effect.fail(error))

/** What a handler may answer before it has checked the key: to a wrong cursor, or to an id that none has. */
const isUnchecked = (error: RequestFailure): error is ApiError =>
  error instanceof ApiError && (error.status === 400 || error.status === 404)

/** A revoked key is 401 whatever it asks for, so refusals confirm the key; other answers checked it on their way. */
const answerKey =
  (keys: Authenticator["Service"], decoder: Decoder, handler: AnyHandler) =>
  (incoming: Incoming, principal: Principal): Program => {
    const request = decoder.decode(incoming, caller(principal))
    if (request instanceof ApiError) return refuse(keys, principal, request)
    return Effect.catch(handler(request), (error) =>
      isUnchecked(error) ? refuse(keys, principal, error) : Effect.fail(error),
    )
  }

const testModeOnly = (): ApiError<"permission_denied"> =>
  new ApiError({
    code: "permission_denied",
    message: "This route is for test mode only. Use a test key (sk_test_…).",
  })

type AnswerKey = (incoming: Incoming, principal: KeyPrincipal) => Program

/** Rejects live keys, whatever they ask for. */
const inTestMode =
  (keys: Authenticator["Service"], answer: AnswerKey): AnswerKey =>
  (incoming, principal) =>
    principal.mode === "live" ? refuse(keys, principal, testModeOnly()) : answer(incoming, principal)

const lacksScope = (scope: ApiKeyScope): ApiError<"permission_denied"> =>
  new ApiError({
    code: "permission_denied",
    message: `This API key lacks the scope ${scope}. Use a key that has it; scopes are chosen when a key is made.`,
    details: { scope },
  })

/** Rejects keys without a scope. */
const inScope = (keys: Authenticator["Service"], scope: ApiKeyScope, answer: AnswerKey): AnswerKey => {
  const bit = scopeBit(scope)
  return (incoming, principal) =>
    (principal.scopeBits & bit) === 0
      ? refuse(keys, principal, lacksScope(scope))
      : answer(incoming, principal)
}

const addressRefused = (): ApiError<"ip_not_allowed"> =>
  new ApiError({
    code: "ip_not_allowed",
    message:
      "This API key does not work from your address. Call from one of its allowed_ips, or make a key that allows yours.",
  })

/** Says who asks under a key: its client's address. */
type AddressOf = (incoming: Incoming) => string

/**
 * Answers who asks, and leaves a note of them for what is refused. Whoever asks from elsewhere than the key allows takes nothing of
 * its rate: a stolen key must not keep its owner from asking.
 */
const answerTo = (
  keys: Authenticator["Service"],
  addressOf: AddressOf,
  incoming: Incoming,
  principal: KeyPrincipal,
  answer: AnswerKey,
): Program => {
  incoming.principal = principal
  return keys.admits(principal, () => addressOf(incoming))
    ? answer(incoming, principal)
    : refuse(keys, principal, addressRefused())
}

const byApiKey = ({ keys, limit }: Guards, addressOf: AddressOf, answerOne: AnswerKey) => {
  // Around the decoder too: a request that cannot be decoded counts like any other.
  const answer: AnswerKey =
    limit === undefined
      ? answerOne
      : (incoming, principal) =>
          limit(
            principal,
            Effect.suspend(() => answerOne(incoming, principal)),
          )
  return (incoming: Incoming): Program => {
    const authenticated = keys.authenticate(incoming.authorization)
    const principal = known(authenticated)
    if (principal !== undefined) return answerTo(keys, addressOf, incoming, principal, answer)
    return Effect.flatMap(authenticated, (found) => answerTo(keys, addressOf, incoming, found, answer))
  }
}

/** Reads the browser headers, which follow the contract's own headers. */
const readBrowser = ({ browsers }: Guards, decoder: Decoder, incoming: Incoming): BrowserRequest =>
  browsers.read(incoming, incoming.headers.slice(decoder.headerNames.length))

const bySession =
  (guards: Guards, decoder: Decoder, answer: Answer, demand: SessionDemand) =>
  (incoming: Incoming): Program => {
    const browser = readBrowser(guards, decoder, incoming)
    const found = (session: Session) => {
      incoming.askedBy = session
    }
    return Effect.flatMap(admitSession(guards.sessions, browser, demand, found), ({ session, principal }) => {
      incoming.principal = principal
      const reply = Effect.map(answer(incoming, { principal, session, browser }), (plain) =>
        compressJson(plain, browser.acceptEncoding),
      )
      return ofBrowser(reply, incoming, browser)
    })
  }

/** Reads the address of a key's client; `forwardedAt` is where its `X-Forwarded-For` stands among the headers, if it is read at all. */
const addressFrom =
  ({ browsers }: Guards, forwardedAt: number): AddressOf =>
  (incoming) =>
    browsers.clientOf(incoming, incoming.headers[forwardedAt] ?? "")

/** The mode of a stream is in the query, where EventSource can put it; the decoder checks it. */
const streamMode = (incoming: Incoming, browser: BrowserRequest): string => {
  const named = new URLSearchParams(incoming.query).get("mode")
  if (named === null) return browser.mode
  return modes.some((mode) => mode === named) ? named : ""
}

/** The scope that an endpoint asks of API keys. Without one, any key would open it. */
const scopeOf = (endpoint: HttpApiEndpoint.Top): ApiKeyScope => {
  const scope = Context.get(endpoint.annotations, KeyScope)
  if (scope === undefined) throw new Error(`${endpoint.identifier} takes API keys and names no scope`)
  return scope
}

/** The roles that an endpoint admits in a seller's session. Without them, any member could do it. */
const rolesOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<MemberRole> => {
  const roles = Context.get(endpoint.annotations, RolesOfMembers)
  if (roles === undefined)
    throw new Error(`${endpoint.identifier} takes sellers' sessions and names no roles`)
  return roles
}

const byFeedCredential = (
  guards: Guards,
  endpoint: HttpApiEndpoint.Top,
  decoder: Decoder,
  handler: AnyHandler,
  answer: Answer,
) => {
  const scope = scopeOf(endpoint)
  const demand: SessionDemand = {
    who: "seller",
    roles: rolesOf(endpoint),
    stepUp: undefined,
    isUnsafe: false,
    isTestOnly: false,
  }
  const forwardedAt = decoder.headerNames.length + browserHeaderNames.indexOf("x-forwarded-for")
  const answerOne = inScope(guards.keys, scope, answerKey(guards.keys, decoder, handler))
  const withKey = byApiKey(guards, addressFrom(guards, forwardedAt), answerOne)
  return (incoming: Incoming): Program => {
    if (incoming.authorization !== undefined) return withKey(incoming)
    const browser = readBrowser(guards, decoder, incoming)
    if (browser.cookies(sessionCookieName).length === 0) return withKey(incoming)
    const moded = { ...browser, mode: streamMode(incoming, browser) }
    const admitted = admitSession(guards.sessions, moded, demand)
    return Effect.flatMap(admitted, ({ principal }) => {
      incoming.principal = principal
      // Checked again at the end: a session that ended before the stream could learn of it must not keep a stream.
      return Effect.tap(answer(incoming, { ...nobody, principal }), () =>
        admitSession(guards.sessions, moded, demand),
      )
    })
  }
}

/** Needs no credential, but pages of other sites must not act with a browser's cookies. */
const byBrowser =
  (guards: Guards, decoder: Decoder, answer: Answer, isUnsafe: boolean) =>
  (incoming: Incoming): Program => {
    const browser = readBrowser(guards, decoder, incoming)
    if (isUnsafe && browser.crossSite !== undefined) return Effect.fail(browser.crossSite)
    return ofBrowser(answer(incoming, { ...nobody, browser }), incoming, browser)
  }

const sessionRoles: Readonly<Record<string, SessionDemand["who"]>> = {
  [UserAuth.key]: "user",
  [SellerAuth.key]: "seller",
  [OperatorAuth.key]: "operator",
}

/** The program of a route for API keys alone. */
const ofKeyAlone = (
  guards: Guards,
  endpoint: HttpApiEndpoint.Top,
  decoder: Decoder,
  handler: AnyHandler,
): ((incoming: Incoming) => Program) => {
  const { keys } = guards
  const addressOf = addressFrom(guards, decoder.headerNames.length)
  const answerPlain = answerKey(keys, decoder, handler)
  const isAudited = Context.get(endpoint.annotations, Audited)
  const answerOne = inScope(keys, scopeOf(endpoint), isAudited ? ofKey(addressOf, answerPlain) : answerPlain)
  const isTestOnly = Context.get(endpoint.annotations, TestModeOnly)
  return byApiKey(guards, addressOf, isTestOnly ? inTestMode(keys, answerOne) : answerOne)
}

/** The program of an endpoint, chosen by the credential that its middleware names. */
const programOf = (
  guards: Guards,
  endpoint: HttpApiEndpoint.Top,
  decoder: Decoder,
  handler: AnyHandler,
): ((incoming: Incoming) => Program) => {
  const answer: Answer = (incoming, who) => {
    const request = decoder.decode(incoming, who)
    return request instanceof ApiError ? Effect.fail(request) : handler(request)
  }
  const [middleware, ...more] = [...endpoint.middlewares]
  if (middleware === undefined) return (incoming) => answer(incoming, nobody)
  const { key } = middleware
  const isUnsafe = endpoint.method !== "GET"
  const stepUp = stepUpOf(endpoint)
  const isTestOnly = Context.get(endpoint.annotations, TestModeOnly)
  const who = sessionRoles[key]
  if (more.length === 0) {
    if (key === ApiKeyAuth.key) return ofKeyAlone(guards, endpoint, decoder, handler)
    if (key === FeedAuth.key) {
      return byFeedCredential(guards, endpoint, decoder, handler, answer)
    }
    if (key === BrowserGuard.key) return byBrowser(guards, decoder, answer, isUnsafe)
    if (who !== undefined) {
      const roles = who === "seller" ? rolesOf(endpoint) : undefined
      return bySession(guards, decoder, answer, { who, roles, stepUp, isUnsafe, isTestOnly })
    }
  }
  // A check that nobody makes would leave the endpoint open.
  throw new Error(`The front end does not support the middleware ${key} of ${endpoint.identifier}`)
}

/** Changes made in dashboards may wait for password hashing, mails or acquirers; reads do not. */
const classOf = (endpoint: HttpApiEndpoint.Top, fromBrowser: boolean): RouteClass => {
  if (Context.get(endpoint.annotations, Probe)) return "probe"
  return fromBrowser && endpoint.method !== "GET" ? "outside" : "work"
}

const makeRoute = (
  endpoint: HttpApiEndpoint.Top,
  handler: AnyHandler,
  context: Context.Context<never>,
  guards: Guards,
): Route => {
  const decoder = makeDecoder(endpoint)
  const program = programOf(guards, endpoint, decoder, handler)
  const keys = [...endpoint.middlewares].map(({ key }) => key)
  const takesKey = keys.includes(ApiKeyAuth.key) || keys.includes(FeedAuth.key)
  const fromBrowser = keys.length > 0 && !keys.includes(ApiKeyAuth.key)
  const fork = Effect.runForkWith(context)
  const { clientHeaders, cors } = guards.browsers
  const callerHeaders = fromBrowser ? browserHeaderNames : takesKey ? clientHeaders : []
  const { sampler } = guards
  const isTraced = sampler !== undefined && !Context.get(endpoint.annotations, Probe)
  const traceHeaders = isTraced && !decoder.headerNames.includes(traceparentHeader) ? [traceparentHeader] : []
  const route: Omit<Route, "start"> = {
    method: endpoint.method,
    path: endpoint.path,
    paramCount: decoder.paramCount,
    headerNames: [...decoder.headerNames, ...callerHeaders, ...traceHeaders],
    joinsFrom: fromBrowser
      ? 0
      : decoder.headerNames.length + (callerHeaders.length > 0 ? 0 : traceHeaders.length),
    takesAllHeaders: Context.get(endpoint.annotations, RawBody),
    takesQuery: decoder.takesQuery,
    takesBody: decoder.takesBody,
    secured: takesKey,
    streams: [...endpoint.success].some(isEventStream),
    cors: fromBrowser ? cors : undefined,
    routeClass: classOf(endpoint, fromBrowser),
    asksAcquirer: Context.get(endpoint.annotations, AsksAcquirer),
    sellerOf: takesKey
      ? (authorization) => known(guards.keys.authenticate(authorization))?.sellerId
      : undefined,
  }
  const traced = isTraced ? traceRequests(sampler, route, program) : program
  return { ...route, start: (incoming) => fork(traced(incoming)) }
}

/** Binds a contract to its handlers. Programs use the references (logger, clock) of the context captured here. */
export const bindApi = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  handlers: Handlers<HttpApi.HttpApi<Id, Groups>>,
  limit?: KeyLimit,
): Effect.Effect<ReadonlyArray<Route>, never, Authenticator | SessionAuthenticator | BrowserRequests> =>
  Effect.gen(function* () {
    const context = yield* Effect.context()
    const guards: Guards = {
      sampler: yield* RequestSampler,
      limit,
      keys: yield* Authenticator,
      sessions: yield* SessionAuthenticator,
      browsers: yield* BrowserRequests,
    }
    const byName: Readonly<Record<string, AnyHandler | undefined>> = handlers as never
    const routes: Array<Route> = []
    HttpApi.reflect(api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const handler = byName[endpoint.identifier]
        if (handler === undefined) throw new Error(`bindApi: no handler for ${endpoint.identifier}`)
        const route = makeRoute(endpoint, handler, context, guards)
        routes.push(route)
        // One route to whoever reads metrics, however it is spelled.
        for (const path of Context.get(endpoint.annotations, AlsoAt)) {
          routes.push({ ...route, path, metricsPath: route.path })
        }
      },
    })
    return routes
  })
