import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"

/** `Authorization: Bearer sk_…` (spec 5.1); the key names seller and mode. */
export class ApiKeyAuth extends HttpApiMiddleware.Service<ApiKeyAuth>()("corrente/schema/ApiKeyAuth", {
  security: { apiKey: HttpApiSecurity.bearer },
}) {}
