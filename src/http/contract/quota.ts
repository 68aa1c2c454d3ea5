import { Effect } from "effect"
import type { Bucket, Quota, RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import { ApiError } from "../../../schema/errors.ts"
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

const withHeaders = (error: RequestFailure, headers: ReplyHeaders): RequestFailure =>
  error instanceof ApiError
    ? new ApiError({
        ...(error.param === undefined ? {} : { param: error.param }),
        ...(error.details === undefined ? {} : { details: error.details }),
        ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
        code: error.code,
        message: error.message,
        headers: { ...error.headers, ...Object.fromEntries(headers) },
      })
    : error

const tooMany = ({ message }: NamedBucket, quota: Quota): ApiError =>
  new ApiError({
    code: "rate_limited",
    message,
    retryAfterSeconds: Math.max(1, Math.ceil(quota.nextInMillis / 1_000)),
  })

/**
 * Answers within a limit, or 429 `rate_limited` with `Retry-After`. Takes a token from every bucket in turn; answers
 * and errors report the bucket with the fewest tokens left in `RateLimit` headers.
 */
export const withinQuota = (
  limiter: RateLimiter["Service"],
  buckets: ReadonlyArray<NamedBucket>,
  answer: Effect.Effect<Reply, RequestFailure>,
): Effect.Effect<Reply, RequestFailure> =>
  Effect.gen(function* () {
    let tightest: { readonly named: NamedBucket; readonly quota: Quota } | undefined
    for (const named of buckets) {
      const quota = yield* limiter.take(named.bucket)
      if (!quota.isTaken) {
        return yield* withHeadersOf({ named, quota }, Effect.fail<RequestFailure>(tooMany(named, quota)))
      }
      if (tightest === undefined || quota.remaining < tightest.quota.remaining) tightest = { named, quota }
    }
    return yield* tightest === undefined ? answer : withHeadersOf(tightest, answer)
  })

const withHeadersOf = (
  { named, quota }: { readonly named: NamedBucket; readonly quota: Quota },
  answer: Effect.Effect<Reply, RequestFailure>,
): Effect.Effect<Reply, RequestFailure> => {
  const headers = quotaHeaders(named, quota)
  return answer.pipe(
    Effect.map((reply): Reply => ({ ...reply, headers: [...(reply.headers ?? []), ...headers] })),
    Effect.mapError((error) => withHeaders(error, headers)),
  )
}
