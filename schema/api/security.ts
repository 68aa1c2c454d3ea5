import { Context } from "effect"
import { type HttpApiEndpoint, HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { ApiKeyScope } from "../apiKeyScopes.ts"
import type { MemberRole } from "../memberRoles.ts"

/** `Authorization: Bearer sk_…`; the key determines seller and mode (`docs/contract/api-keys.md#authentication`). */
export class ApiKeyAuth extends HttpApiMiddleware.Service<ApiKeyAuth>()("corrente/schema/ApiKeyAuth", {
  security: { apiKey: HttpApiSecurity.bearer },
}) {}

/**
 * The scope that an API key needs for a route (`docs/contract/api-keys.md#scopes`). A route that takes keys and has none stops the
 * start.
 */
export const KeyScope = Context.Reference<ApiKeyScope | undefined>("corrente/schema/KeyScope", {
  defaultValue: () => undefined,
})

/**
 * The roles of a seller's members that may ask in a session (`docs/contract/members.md#roles`). A route that takes sellers' sessions and
 * names none stops the start.
 */
export const RolesOfMembers = Context.Reference<ReadonlyArray<MemberRole> | undefined>(
  "corrente/schema/RolesOfMembers",
  { defaultValue: () => undefined },
)

/** The cookie that carries the session token. */
export const sessionCookieName = "lm.session"

const session = HttpApiSecurity.apiKey({ key: sessionCookieName, in: "cookie" })

/**
 * A session of any user. This and the guards below reject cross-site browser requests
 * (`docs/contract/README.md#browsers`).
 */
export class UserAuth extends HttpApiMiddleware.Service<UserAuth>()("corrente/schema/UserAuth", {
  security: { session },
}) {}

/** A session of a seller's user; `X-Mode` selects the mode. */
export class SellerAuth extends HttpApiMiddleware.Service<SellerAuth>()("corrente/schema/SellerAuth", {
  security: { session },
}) {}

/** A session of an operator, role `admin`; acts need a recent step-up, reads one at some time (`docs/contract/admin.md#access`). */
export class OperatorAuth extends HttpApiMiddleware.Service<OperatorAuth>()("corrente/schema/OperatorAuth", {
  security: { session },
}) {}

/** Credentials of an event stream: an API key, or a seller's session with the mode in the query. */
export class FeedAuth extends HttpApiMiddleware.Service<FeedAuth>()("corrente/schema/FeedAuth", {
  security: { apiKey: HttpApiSecurity.bearer, session },
}) {}

/** No credential, but a browser request with its cookies and address; cross-site requests are rejected. */
export class BrowserGuard extends HttpApiMiddleware.Service<BrowserGuard>()("corrente/schema/BrowserGuard") {}

/**
 * The step-up a change needs: the user can turn off `webhook` and `account`, but not `always`; undefined needs none
 * (`docs/contract/accounts.md#step-up`).
 */
export const StepUp = Context.Reference<"webhook" | "account" | "always" | undefined>(
  "corrente/schema/StepUp",
  {
    defaultValue: () => undefined,
  },
)

/** What a route asks of its session: as `StepUp`; or `once`, a step-up at some time since it began. */
export type StepUpDemand = "webhook" | "account" | "always" | "once"

/** What an endpoint asks of its session's second factor; undefined if nothing. */
export const stepUpOf = (endpoint: HttpApiEndpoint.Top): StepUpDemand | undefined => {
  const isOperators = [...endpoint.middlewares].some(({ key }) => key === OperatorAuth.key)
  if (isOperators) return endpoint.method === "GET" ? "once" : "always"
  return Context.get(endpoint.annotations, StepUp)
}

/**
 * Marks a route for test mode only. Live keys, and sessions without `X-Mode: test`, are rejected before anything else of
 * the request is checked.
 */
export const TestModeOnly = Context.Reference<boolean>("corrente/schema/TestModeOnly", {
  defaultValue: () => false,
})
