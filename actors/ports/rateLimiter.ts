import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A token bucket: full at rest, refilled steadily (docs/contract/README.md#rate-limits). */
export interface Bucket {
  /** The partition of what is limited, where the bucket's key is stored. */
  readonly partition: number
  /** What is limited, such as `api:key_…`. */
  readonly name: string
  /** Tokens in a full bucket. */
  readonly capacity: number
  /** The time in which an empty bucket fills, in ms. */
  readonly windowMillis: number
}

/** A bucket's answer. */
export interface Quota {
  readonly isTaken: boolean
  /** Whole tokens left. */
  readonly remaining: number
  /** Until the next token, in ms; 0 where one was taken. */
  readonly nextInMillis: number
  /** Until the bucket is full, in ms. */
  readonly fullInMillis: number
}

/** Token buckets shared by all processes. */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly take: (bucket: Bucket) => Effect.Effect<Quota, StoreUnavailable>
  }
>()("corrente/actors/RateLimiter") {}
