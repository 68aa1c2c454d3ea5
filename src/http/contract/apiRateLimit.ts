import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import type { Reply, RequestFailure } from "../server/reply.ts"
import { withinQuota } from "./quota.ts"

/** A bucket holds one second's worth of requests: a burst above the rate uses up what was saved in that second. */
const windowMillis = 1_000

/** Limits an answer to an API key; a request without a token is not answered, not even decoded. */
export type KeyLimit = (
  principal: Principal,
  answer: Effect.Effect<Reply, RequestFailure>,
) => Effect.Effect<Reply, RequestFailure>

/**
 * Limits the requests of each API key to `requestsPerSecond` over all processes (`API_RATE_LIMIT_PER_SECOND`;
 * `docs/contract/README.md#rate-limits`). Undefined without a limit.
 */
export const makeKeyLimit = (requestsPerSecond: number | undefined) =>
  Effect.gen(function* () {
    if (requestsPerSecond === undefined) return undefined
    const limiter = yield* RateLimiter
    const message = `This API key may send ${requestsPerSecond} requests per second. Slow down, and repeat the request after Retry-After.`
    const limit: KeyLimit = ({ sellerId, keyId }, answer) => {
      const bucket = {
        partition: partitionOfId(sellerId) ?? 0,
        name: `api:${keyId}`,
        capacity: requestsPerSecond,
        windowMillis,
      }
      return withinQuota(limiter, [{ policy: "api", bucket, message }], answer)
    }
    return limit
  })
