import { Effect } from "effect"
import { type Bucket, type Quota, RateLimiter } from "../../actors/ports/rateLimiter.ts"
import type { Principal } from "../../actors/ports/transactionStore.ts"
import { ApiError } from "../../schema/errors.ts"
import { partitionOfId } from "../../schema/ids.ts"
import type { Reply, ReplyHeaders, RequestFailure } from "./request.ts"

/** A bucket holds what may come in a second; bursts above the rate use up what was saved in that second. */
const windowMillis = 1_000

type AnyHandler = (request: {
  readonly principal: Principal | undefined
}) => Effect.Effect<Reply, RequestFailure>

/** `RateLimit` and `RateLimit-Policy` in the form of the IETF's draft (decisions 1). */
const quotaHeaders = (bucket: Bucket, quota: Quota): ReplyHeaders => [
  ["RateLimit-Policy", `"api";q=${bucket.capacity};w=${bucket.windowMillis / 1_000}`],
  ["RateLimit", `"api";r=${quota.remaining};t=${Math.ceil(quota.fullInMillis / 1_000)}`],
]

const withHeaders = (error: RequestFailure, headers: ReplyHeaders): RequestFailure =>
  error instanceof ApiError
    ? new ApiError({
        ...(error.param === undefined ? {} : { param: error.param }),
        ...(error.details === undefined ? {} : { details: error.details }),
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
        code: error.code,
        message: error.message,
        headers: Object.fromEntries(headers),
      })
    : error

const tooMany = (bucket: Bucket, quota: Quota): ApiError =>
  new ApiError({
    code: "rate_limited",
    message: `This API key may send ${bucket.capacity} requests a second. Slow down and repeat the request after Retry-After.`,
    retryAfterSeconds: Math.max(1, Math.ceil(quota.nextInMillis / 1_000)),
  })

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
        if (principal === undefined) return handler(request)
        const bucket = {
          partition: partitionOfId(principal.sellerId) ?? 0,
          name: `api:${principal.keyId}`,
          capacity: requestsPerSecond,
          windowMillis,
        }
        return Effect.flatMap(limiter.take(bucket), (quota) => {
          const headers = quotaHeaders(bucket, quota)
          const answer = quota.isTaken ? handler(request) : Effect.fail(tooMany(bucket, quota))
          return answer.pipe(
            Effect.map((reply): Reply => ({ ...reply, headers: [...(reply.headers ?? []), ...headers] })),
            Effect.mapError((error) => withHeaders(error, headers)),
          )
        })
      }

    const limited = Object.entries(handlers).map(([name, handler]) => [name, limit(handler as AnyHandler)])
    return Object.fromEntries(limited) as H
  })
