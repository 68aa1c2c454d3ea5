import type { Schema } from "effect"
import type { HttpMethod } from "effect/http"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { ApiKeyScope } from "../apiKeyScopes.ts"
import type { ErrorCode } from "../errorCodes.ts"
import type { ErrorEnvelope } from "../errors.ts"
import type { MemberRole } from "../memberRoles.ts"
import { AlsoAt, AsksAcquirer, Audited, errorsOf, OptionalBody, probeErrors, RawBody } from "./common.ts"
import { KeyScope, RolesOfMembers, StepUp } from "./security.ts"

type Fields = Schema.Struct.Fields
type StructOf<F> = [F] extends [never] ? never : F extends Fields ? Schema.Struct<F> : never
type OneOrMore = Schema.Top | ReadonlyArray<Schema.Top>
type MemberOf<S> = S extends ReadonlyArray<infer A> ? A : S

/** What a route takes and answers. */
interface RouteShape<Params, Query, Headers, Payload, Success, Errors> {
  /** One line of the API's documentation. */
  readonly summary: string
  /** The scope that an API key needs here. Routes that take keys have one (`docs/contract/api-keys.md#scopes`). */
  readonly scope?: ApiKeyScope | undefined
  /** The roles that may ask in a seller's session. Routes that take such sessions have them (`docs/contract/members.md#roles`). */
  readonly roles?: ReadonlyArray<MemberRole> | undefined
  /** The confirmation that a session's change needs (`docs/contract/accounts.md#step-up`). */
  readonly stepUp?: "webhook" | "account" | "always"
  /** `optional`: a missing body is read as `{}`. `raw`: takes the body as it is, whatever its type, and all headers. */
  readonly body?: "optional" | "raw"
  /** Other spellings of the path that callers may make of it, with the same `:name`s; not documented. */
  readonly alsoAt?: ReadonlyArray<`/${string}`>
  /** Whether the answer waits for the mode's acquirer. */
  readonly asksAcquirer?: boolean
  /** Whether the seller's audit log tells what an API key does here. */
  readonly audited?: boolean
  /** Every `:name` of the path. */
  readonly params?: Params
  readonly query?: Query
  readonly headers?: Headers
  /** The JSON body. */
  readonly payload?: Payload
  /** The answer; several where statuses differ. */
  readonly success: Success
  /**
   * Codes it may answer besides those that any route does: `validation_failed` and `length_required` for a request whose
   * end cannot be found, `internal_error` and `service_unavailable`; and with a `scope` the two refusals of a key. Without it, the
   * route has the first two only.
   */
  readonly errors?: Errors
}

const declare =
  <const Method extends HttpMethod.HttpMethod>(method: Method) =>
  <
    const Name extends string,
    const Path extends `/${string}`,
    Params extends Fields = never,
    Query extends Fields = never,
    Headers extends Fields = never,
    Payload extends Schema.Top = never,
    const Success extends OneOrMore = never,
    const Errors extends ReadonlyArray<ErrorCode> = readonly [],
  >(
    name: Name,
    path: Path,
    {
      summary,
      scope,
      roles,
      stepUp,
      body,
      alsoAt = [],
      asksAcquirer = false,
      audited = false,
      errors,
      ...shape
    }: RouteShape<Params, Query, Headers, Payload, Success, Errors>,
  ): HttpApiEndpoint.HttpApiEndpoint<
    Name,
    Method,
    Path,
    StructOf<Params>,
    StructOf<Query>,
    Payload,
    StructOf<Headers>,
    MemberOf<Success> & Schema.Top,
    typeof ErrorEnvelope & { readonly codes?: Errors[number] }
  > => {
    const keyErrors = scope === undefined ? [] : (["permission_denied", "ip_not_allowed"] as const)
    const error = errors === undefined ? probeErrors : errorsOf(...new Set([...errors, ...keyErrors]))
    // The constructor's types depend on the method; the signature above states them once for all methods.
    const endpoint = HttpApiEndpoint.make(method)(name, path, {
      ...shape,
      error,
      disableCodecs: true,
    } as never)
    return endpoint
      .annotate(OpenApi.Summary, summary)
      .annotate(KeyScope, scope)
      .annotate(RolesOfMembers, roles)
      .annotate(StepUp, stepUp)
      .annotate(OptionalBody, body === "optional")
      .annotate(RawBody, body === "raw")
      .annotate(AlsoAt, alsoAt)
      .annotate(AsksAcquirer, asksAcquirer)
      .annotate(Audited, audited) as never
  }

/**
 * Declares routes of the contract. Schemas describe requests and answers as they are on the wire, so Effect's codecs
 * are off: the front end decodes requests itself, and handlers answer finished JSON.
 */
export const route = {
  get: declare("GET"),
  post: declare("POST"),
  put: declare("PUT"),
  patch: declare("PATCH"),
  delete: declare("DELETE"),
}
