import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import { type Principal, sessionKeyHash } from "../../../actors/values/principal.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import type { Reply, RequestFailure } from "../server/reply.ts"
import { withinQuota } from "./quota.ts"

/** A bucket holds one second's worth of requests: a burst above the rate uses up what was saved in that second. */
const windowMillis = 1_000

type AnyHandler = (request: {
  readonly principal: Principal | undefined
}) => Effect.Effect<Reply, RequestFailure>

/**
 * Limits the handlers called with an API key to `requestsPerSecond` per key, over all processes
 * (`API_RATE_LIMIT_PER_SECOND`; `docs/contract/README.md#rate-limits`). Without a limit it returns the handlers
 * unchanged.
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
        const message = `This API key may send ${requestsPerSecond} requests per second. Slow down, and repeat the request after Retry-After.`
        return withinQuota(limiter, [{ policy: "api", bucket, message }], handler(request))
      }

    const limited = Object.entries(handlers).map(([name, handler]) => [name, limit(handler as AnyHandler)])
    return Object.fromEntries(limited) as H
  })
