import type { Effect } from "effect"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Principal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type {
  ApiKeyAuth,
  BrowserGuard,
  FeedAuth,
  OperatorAuth,
  SellerAuth,
  UserAuth,
} from "../../../schema/api/security.ts"
import type { ErrorCode } from "../../../schema/errorCodes.ts"
import type { ApiError } from "../../../schema/errors.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import type { BrowserRequest } from "../contract/browserRequest.ts"
import type { Reply } from "./reply.ts"

/** The decoded type of a schema; undefined if the contract declares none. */
type Decoded<S> = [S] extends [never] ? undefined : S extends { readonly Type: infer T } ? T : undefined

type HeadersOf<E> = [HttpApiEndpoint.Headers<E>] extends [never]
  ? Record<never, never>
  : Decoded<HttpApiEndpoint.Headers<E>>

/** Whether an endpoint or its group has one of these middlewares. */
type Bears<E, M> = [Extract<HttpApiEndpoint.Middleware<E>, M>] extends [never] ? false : true

/** The principal if the endpoint takes a key or a seller's session, else undefined. */
type PrincipalOf<E> = Bears<E, ApiKeyAuth | SellerAuth | FeedAuth> extends true ? Principal : undefined

type SessionAuth = UserAuth | SellerAuth | OperatorAuth
type SessionOf<E> = Bears<E, SessionAuth> extends true ? Session : undefined
type BrowserOf<E> = Bears<E, SessionAuth | BrowserGuard> extends true ? BrowserRequest : undefined

/** A request as its handler sees it: decoded by the contract, with nothing of the socket. */
export interface DecodedRequest<E> {
  readonly params: Decoded<HttpApiEndpoint.Params<E>>
  readonly query: Decoded<HttpApiEndpoint.Query<E>>
  readonly payload: Decoded<HttpApiEndpoint.Payload<E>>
  readonly principal: PrincipalOf<E>
  /** The session if the endpoint takes one; its role and step-up were checked. */
  readonly session: SessionOf<E>
  /** The request's cookies and origin, for endpoints of the dashboard. */
  readonly browser: BrowserOf<E>
  /** A header that the contract declares, by its lower-case name. */
  readonly header: <Name extends keyof HeadersOf<E>>(name: Name) => HeadersOf<E>[Name]
  /** The body's bytes as they arrived, for fingerprints; empty if the route takes no body. */
  readonly rawBody: Uint8Array
  /** All headers by lower-case name if the contract takes the body raw; else the declared ones. */
  readonly rawHeaders: Readonly<Record<string, string>>
  /** The value of the response header `X-Request-Id`. */
  readonly requestId: string
  /** The peer's address as text (IPv4 dotted, IPv6 in full); "" once the connection is gone. */
  readonly remoteAddress: string
}

/** The codes that an endpoint declares, and those that any may answer. */
type CodesOf<E> =
  | (HttpApiEndpoint.Error<E> extends { readonly codes?: infer Codes } ? Extract<Codes, ErrorCode> : never)
  | "validation_failed"
  | "internal_error"
  | "service_unavailable"

/** The program that answers an endpoint. */
export type Handler<E, R> = (
  request: DecodedRequest<E>,
) => Effect.Effect<Reply, ApiError<CodesOf<E>> | StoreUnavailable, R>

/** A handler for every endpoint of a contract, by identifier; `bindApi` takes handlers that need no services. */
export type Handlers<Api, R = never> = {
  readonly [E in EndpointsOf<Api> as HttpApiEndpoint.Identifier<E>]: Handler<E, R>
}

/** A handler for every endpoint of one group of a contract. */
export type GroupHandlers<Group, R = never> = {
  readonly [E in HttpApiGroup.Endpoints<Group> as HttpApiEndpoint.Identifier<E>]: Handler<E, R>
}

type EndpointsOf<Api> =
  Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? HttpApiGroup.Endpoints<Groups> : never
