import { Context } from "effect"
import { parseTraceparent, type TraceParent } from "../../schema/trace.ts"
import { traceLimits } from "../../schema/traceLimits.ts"

/** A request that is traced, and the caller's span that it continues, if it has one. */
export interface Sampled {
  readonly parent: TraceParent | undefined
}

/**
 * Decides which requests are traced (docs/operations.md#traces). `traceparent` is the header, "" if absent; `isKnown` says whether the
 * caller has a valid credential, and is asked only about those who send one. Undefined: not traced.
 */
export type Sampler = (traceparent: string, isKnown: () => boolean) => Sampled | undefined

/** The sampler of this process; undefined where no traces are exported. */
export const RequestSampler = Context.Reference<Sampler | undefined>("corrente/tracing/RequestSampler", {
  defaultValue: () => undefined,
})

/** What a sampler draws on; `random` answers numbers from 0 to 1, without 1. */
export interface SamplerOptions {
  /** The share of requests that are traced: 0 to 1. */
  readonly ratio: number
  readonly random: () => number
  readonly nowMillis: () => number
}

/**
 * Makes a sampler. Known callers decide by the flag of their `traceparent`, but have only `followedPerSecond` requests a second traced,
 * all together. Beyond that, and for everybody else, the ratio decides: whoever is not known cannot have anything traced.
 */
export const makeSampler = ({ ratio, random, nowMillis }: SamplerOptions): Sampler => {
  let second = 0
  let followed = 0
  const mayFollow = (): boolean => {
    const now = Math.floor(nowMillis() / 1_000)
    if (now !== second) {
      second = now
      followed = 0
    }
    followed += 1
    return followed <= traceLimits.followedPerSecond
  }
  return (traceparent, isKnown) => {
    const parent = traceparent === "" ? undefined : parseTraceparent(traceparent)
    if (parent !== undefined && isKnown()) {
      if (!parent.isSampled) return undefined
      if (mayFollow()) return { parent }
    }
    return random() < ratio ? { parent } : undefined
  }
}
