import { describe, expect, it } from "vitest"
import { traceLimits } from "../../schema/traceLimits.ts"
import { makeSampler, type SamplerOptions } from "../../src/tracing/sampler.ts"

const parent = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" }
const flagged = (flags: string) => `00-${parent.traceId}-${parent.spanId}-${flags}`
const known = () => true
const unknown = () => false

const sampler = (options: Partial<SamplerOptions> = {}) =>
  makeSampler({ ratio: 0, random: () => 0, nowMillis: () => 0, ...options })

describe("a sampler", () => {
  it("traces the share of requests that its ratio says", () => {
    const draws = Array.from({ length: 1_000 }, (_, i) => i / 1_000)
    for (const [ratio, traced] of [
      [0, 0],
      [0.01, 10],
      [1, 1_000],
    ] as const) {
      let at = 0
      const decide = sampler({ ratio, random: () => draws[at++] ?? 0 })
      expect(draws.filter(() => decide("", unknown) !== undefined)).toHaveLength(traced)
    }
  })

  it("traces what a known caller traces, and not what it does not trace, whatever the ratio", () => {
    expect(sampler({ ratio: 0 })(flagged("01"), known)).toEqual({ parent: { ...parent, isSampled: true } })
    expect(sampler({ ratio: 1 })(flagged("00"), known)).toBeUndefined()
    // Other flags say something else.
    expect(sampler({ ratio: 0 })(flagged("03"), known)).toBeDefined()
    expect(sampler({ ratio: 1 })(flagged("02"), known)).toBeUndefined()
  })

  it("lets nobody else have anything traced, or hidden", () => {
    expect(sampler({ ratio: 0 })(flagged("01"), unknown)).toBeUndefined()
    // The trace is the caller's, because the resource has its trace id; the decision is not.
    expect(sampler({ ratio: 1 })(flagged("00"), unknown)).toEqual({ parent: { ...parent, isSampled: false } })
  })

  it("an invalid traceparent counts as none, and who sent it is not asked", () => {
    const asked = () => {
      throw new Error("asked")
    }
    expect(sampler({ ratio: 1 })("00-xyz-1-01", asked)).toEqual({ parent: undefined })
    expect(sampler({ ratio: 0 })("", asked)).toBeUndefined()
  })

  it("known callers have so many requests a second traced, all together; beyond that the ratio decides", () => {
    let now = 5_000
    const decide = sampler({ ratio: 0, nowMillis: () => now })
    const traced = (count: number) =>
      Array.from({ length: count }, () => decide(flagged("01"), known)).filter((one) => one !== undefined)
        .length
    expect(traced(traceLimits.followedPerSecond)).toBe(traceLimits.followedPerSecond)
    expect(traced(1)).toBe(0)
    now = 5_999
    expect(traced(1)).toBe(0)
    now = 6_000
    expect(traced(traceLimits.followedPerSecond + 1)).toBe(traceLimits.followedPerSecond)
    const all = sampler({ ratio: 1 })
    for (let i = 0; i < traceLimits.followedPerSecond + 1; i++)
      expect(all(flagged("01"), known)).toBeDefined()
  })
})
