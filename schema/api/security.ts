import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"

/** `Authorization: Bearer sk_…`; the key determines seller and mode (`docs/contract/api-keys.md#authentication`). */
export class ApiKeyAuth extends HttpApiMiddleware.Service<ApiKeyAuth>()("corrente/schema/ApiKeyAuth", {
  security: { apiKey: HttpApiSecurity.bearer },
}) {}

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

/** A session of an operator: role `admin` and a recent step-up (`docs/contract/admin.md#access`). */
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

/**
 * Marks a route for test mode only. Live keys, and sessions without `X-Mode: test`, are rejected before anything else of
 * the request is checked.
 */
export const TestModeOnly = Context.Reference<boolean>("corrente/schema/TestModeOnly", {
  defaultValue: () => false,
})
