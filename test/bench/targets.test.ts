import { assert, describe, it } from "@effect/vitest"
import { makeMetric, ratioTarget, valueTarget } from "../../bench/report/result.ts"

const metrics = [
  makeMetric("throughput", "1/s", { corrente: [90, 110, 100], bare: [100, 100, 100], fastify: [0, 0, 0] }),
  makeMetric("replay", "ms", { corrente: [70, 60, 80] }),
]

describe("a bench's targets", () => {
  it("a ratio target compares the median of the rounds' ratios with its bound, inclusively", () => {
    assert.deepStrictEqual(ratioTarget(metrics, "throughput", "bare", { atLeast: 1 }), {
      name: "throughput at least 1 of bare",
      measured: 1,
      isMet: true,
    })
    assert.isFalse(ratioTarget(metrics, "throughput", "bare", { atLeast: 1.01 }).isMet)
    assert.isTrue(ratioTarget(metrics, "throughput", "bare", { atMost: 1 }).isMet)
    assert.isFalse(ratioTarget(metrics, "throughput", "bare", { atMost: 0.99 }).isMet)
  })

  it("a target is missed when nothing was measured or the other side's figures are 0", () => {
    assert.isFalse(ratioTarget(metrics, "throughput", "fastify", { atLeast: 1.3 }).isMet)
    assert.isFalse(ratioTarget(metrics, "throughput", "nchan", { atMost: 9 }).isMet)
    assert.isFalse(valueTarget(metrics, "latency", { atMost: 9 }).isMet)
  })

  it("a value target compares the service's own median with its bound, in the metric's unit", () => {
    const target = valueTarget(metrics, "replay", { atMost: 70 })
    assert.deepStrictEqual(target, { name: "replay at most 70 ms", measured: 70, isMet: true })
    assert.isFalse(valueTarget(metrics, "replay", { atMost: 69 }).isMet)
  })
})
