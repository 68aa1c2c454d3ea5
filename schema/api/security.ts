import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"

/** `Authorization: Bearer sk_…` (spec 5.1); the key names seller and mode. */
export class ApiKeyAuth extends HttpApiMiddleware.Service<ApiKeyAuth>()("corrente/schema/ApiKeyAuth", {
  security: { apiKey: HttpApiSecurity.bearer },
}) {}

/** The cookie that carries a session's token (spec 5.2). */
export const sessionCookieName = "lm.session"

const session = HttpApiSecurity.apiKey({ key: sessionCookieName, in: "cookie" })

/** A session of any user (spec 5.2). Cross-site requests of browsers are refused (decisions 1), here and below. */
export class UserAuth extends HttpApiMiddleware.Service<UserAuth>()("corrente/schema/UserAuth", {
  security: { session },
}) {}

/** A session of a seller's user; `X-Mode` names the environment (spec 5.2). */
export class SellerAuth extends HttpApiMiddleware.Service<SellerAuth>()("corrente/schema/SellerAuth", {
  security: { session },
}) {}

/** A session of an operator: role `admin`, and always a step-up (decisions 4). */
export class OperatorAuth extends HttpApiMiddleware.Service<OperatorAuth>()("corrente/schema/OperatorAuth", {
  security: { session },
}) {}

/** An API key, or a seller's session with the mode in the query: what an SSE stream takes (spec 4.2). */
export class FeedAuth extends HttpApiMiddleware.Service<FeedAuth>()("corrente/schema/FeedAuth", {
  security: { apiKey: HttpApiSecurity.bearer, session },
}) {}

/** No credential, but a browser's request: who asks from where, with which cookies; cross-site ones are refused. */
export class BrowserGuard extends HttpApiMiddleware.Service<BrowserGuard>()("corrente/schema/BrowserGuard") {}

/**
 * Which confirmation a change needs (spec 5.3): `webhook` and `account` are toggles of the user, `always` is not, and
 * undefined needs none.
 */
export const StepUp = Context.Reference<"webhook" | "account" | "always" | undefined>(
  "corrente/schema/StepUp",
  {
    defaultValue: () => undefined,
  },
)

/** Annotates a route of API keys that is test mode's alone: live keys are refused before anything else is looked at. */
export const TestModeOnly = Context.Reference<boolean>("corrente/schema/TestModeOnly", {
  defaultValue: () => false,
})
