import { Effect } from "effect"
import { type Bucket, type Quota, RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import type { Reply, ReplyHeaders, RequestFailure } from "../server/reply.ts"

/** A bucket with its name in headers, and the message for callers who emptied it. */
export interface NamedBucket {
  /** The policy's name in `RateLimit-Policy`. */
  readonly policy: string
  readonly bucket: Bucket
  readonly message: string
}

/** `RateLimit` and `RateLimit-Policy` as in the IETF draft (`docs/contract/README.md#rate-limits`). */
const quotaHeaders = ({ policy, bucket }: NamedBucket, quota: Quota): ReplyHeaders => [
  ["RateLimit-Policy", `"${policy}";q=${bucket.capacity};w=${bucket.windowMillis / 1_000}`],
  ["RateLimit", `"${policy}";r=${quota.remaining};t=${Math.ceil(quota.fullInMillis / 1_000)}`],
]

const withHeaders = <E extends RequestFailure>(error: E, headers: ReplyHeaders): E =>
  error instanceof ApiError
    ? (new ApiError({
        ...(error.param === undefined ? {} : { param: error.param }),
        ...(error.details === undefined ? {} : { details: error.details }),
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
        code: error.code,
        message: error.message,
        headers: { ...error.headers, ...Object.fromEntries(headers) },
      }) as E)
    : error

const tooMany = ({ message }: NamedBucket, quota: Quota): ApiError<"rate_limited"> =>
  new ApiError({
    code: "rate_limited",
    message,
    retryAfterSeconds: Math.max(1, Math.ceil(quota.nextInMillis / 1_000)),
  })

/**
 * Answers within a limit, or 429 `rate_limited` with `Retry-After`. Takes a token from every bucket in turn; answers
 * and errors report the bucket with the fewest tokens left in `RateLimit` headers.
 */
export const withinQuota = <E extends RequestFailure>(
  limiter: RateLimiter["Service"],
  buckets: ReadonlyArray<NamedBucket>,
  answer: Effect.Effect<Reply, E>,
): Effect.Effect<Reply, E | ApiError<"rate_limited"> | StoreUnavailable> =>
  Effect.gen(function* () {
    let tightest: { readonly named: NamedBucket; readonly quota: Quota } | undefined
    for (const named of buckets) {
      const quota = yield* limiter.take(named.bucket)
      if (!quota.isTaken) {
        return yield* withHeadersOf({ named, quota }, Effect.fail(tooMany(named, quota)))
      }
      if (tightest === undefined || quota.remaining < tightest.quota.remaining) tightest = { named, quota }
    }
    return yield* tightest === undefined ? answer : withHeadersOf(tightest, answer)
  })

const withHeadersOf = <E extends RequestFailure>(
  { named, quota }: { readonly named: NamedBucket; readonly quota: Quota },
  answer: Effect.Effect<Reply, E>,
): Effect.Effect<Reply, E> => {
  const headers = quotaHeaders(named, quota)
  return answer.pipe(
    Effect.map((reply): Reply => ({ ...reply, headers: [...(reply.headers ?? []), ...headers] })),
    Effect.mapError((error) => withHeaders(error, headers)),
  )
}

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
