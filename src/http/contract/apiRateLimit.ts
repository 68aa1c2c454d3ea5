import { Effect } from "effect"
import { type Principal, sessionKeyHash } from "../../../actors/ports/principal.ts"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import type { Reply, RequestFailure } from "../server/request.ts"
import { withinQuota } from "./quota.ts"

/** A bucket holds what may come in a second; bursts above the rate use up what was saved in that second. */
const windowMillis = 1_000

type AnyHandler = (request: {
  readonly principal: Principal | undefined
}) => Effect.Effect<Reply, RequestFailure>

/**
 * Limits every handler that is called under an API key to so many requests a second and key, over all processes
 * (`API_RATE_LIMIT_PER_SECOND`; decisions 1). Without a limit the handlers are returned as they are.
 */
export const limitHandlers = <H extends object>(handlers: H, requestsPerSecond: number | undefined) =>
  Effect.gen(function* () {
    if (requestsPerSecond === undefined) return handlers
    const limiter = yield* RateLimiter

    const limit =
      (handler: AnyHandler): AnyHandler =>
      (request) => {
        const { principal } = request
        if (principal === undefined || principal.keyHash === sessionKeyHash) return handler(request)
        const bucket = {
          partition: partitionOfId(principal.sellerId) ?? 0,
          name: `api:${principal.keyId}`,
          capacity: requestsPerSecond,
          windowMillis,
        }
        const message = `This API key may send ${requestsPerSecond} requests a second. Slow down and repeat the request after Retry-After.`
        return withinQuota(limiter, [{ policy: "api", bucket, message }], handler(request))
      }

    const limited = Object.entries(handlers).map(([name, handler]) => [name, limit(handler as AnyHandler)])
    return Object.fromEntries(limited) as H
  })
