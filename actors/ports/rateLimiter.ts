import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./store.ts"

/** A token bucket: full at rest, refilled steadily (decisions 1). */
export interface Bucket {
  /** Where its key lives: the partition of what is limited. */
  readonly partition: number
  /** What is limited, such as `api:key_…`. */
  readonly name: string
  /** Tokens of a full bucket. */
  readonly capacity: number
  /** The time in which an empty bucket fills, in ms. */
  readonly windowMillis: number
}

/** What a bucket answered. */
export interface Quota {
  readonly isTaken: boolean
  /** Whole tokens left. */
  readonly remaining: number
  /** Until a token is there again, in ms; 0 where one was taken. */
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
