import { Effect } from "effect"
import { sessionKeyHash } from "../../../actors/values/principal.ts"
import type { ApiError } from "../../../schema/errors.ts"
import { parseApiKey } from "../../../schema/ids.ts"
import { bearerCredentials } from "../../accounts/apiKeys/apiKeySecret.ts"
import type { RequestFacts } from "../../accounts/currentRequest.ts"
import type { SecurityEvent, SecurityFacts } from "../../accounts/securityLine.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { blockListOf } from "../server/addressList.ts"
import { headerOf } from "../server/headerValues.ts"
import type { Incoming, Route } from "../server/route.ts"
import { clientAddress } from "./forwardedFor.ts"

/** A request that was refused, with its route. */
export interface RefusedRequest extends Incoming {
  readonly route: Pick<Route, "method" | "path" | "headerNames" | "takesAllHeaders">
}

/** Logs the refusal of a request; most errors are none. */
export type LogRefusal = (request: RefusedRequest, error: ApiError) => void

const keyReason = (authorization: string | undefined): string => {
  if (authorization === undefined) return "missing"
  const key = bearerCredentials(authorization)
  if (key === undefined) return "not_bearer"
  return parseApiKey(key) === undefined ? "malformed" : "unknown_or_revoked"
}

/** The line of a refusal; undefined for an error that is about something else. */
const lineOf = (
  request: RefusedRequest,
  { code }: ApiError,
): readonly [SecurityEvent, SecurityFacts] | undefined => {
  const { authorization, params, route } = request
  const { method, path } = route
  const where = { route: `${method} ${path}` }
  switch (code) {
    case "invalid_api_key":
      return ["api_key.refused", { reason: keyReason(authorization), ...where }]
    case "ip_not_allowed":
      return ["api_key.refused", { reason: code, ...where }]
    case "session_required":
      return [
        "session.refused",
        { reason: headerOf(request, "cookie") === "" ? "missing" : "ended", ...where },
      ]
    case "origin_not_allowed":
      return ["origin.refused", { reason: "cross_site", ...where }]
    case "invalid_signature":
      // Only the slug of a known acquirer leads here.
      return ["notice.signature_refused", { reason: "bad_signature", acquirer: params[0], ...where }]
    case "permission_denied":
      return path === "/metrics"
        ? ["metrics.refused", { reason: authorization === undefined ? "no_token" : "wrong_token" }]
        : ["access.refused", { reason: code, ...where }]
    default:
      return undefined
  }
}

/**
 * Makes the log of requests that were refused for their credential, their origin or their signature (`docs/logs.md`). It costs nothing
 * where nothing is refused. `trustedProxies` are addresses and ranges whose `X-Forwarded-For` tells the client.
 */
export const makeRefusalLog = Effect.fnUntraced(function* (trustedProxies: ReadonlyArray<string>) {
  const log = yield* SecurityLog
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const proxies = blockListOf(trustedProxies)

  const factsOf = (request: RefusedRequest): RequestFacts => {
    const { requestId, principal, askedBy } = request
    const isSession = principal?.keyHash === sessionKeyHash
    const address = clientAddress(request.remoteAddress, headerOf(request, "x-forwarded-for"), proxies)
    return {
      requestId,
      clientAddress: address,
      userId: askedBy?.userId,
      sellerId: askedBy?.sellerId ?? principal?.sellerId,
      apiKeyId: isSession ? undefined : principal?.keyId,
    }
  }

  const logRefusal: LogRefusal = (request, error) => {
    const line = lineOf(request, error)
    if (line === undefined) return
    // It runs at once, while the connection still tells the address.
    fork(log.write(...line, () => factsOf(request)))
  }
  return logRefusal
})
