import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { LoadMeter, restAfterMillis, restTickMillis, tickMillis } from "../../src/load/loadMeter.ts"

/** A meter and its clock. */
const makeMeter = () => {
  let nowMillis = 1_000
  let wakes = 0
  const meter = new LoadMeter(
    () => nowMillis,
    () => {
      wakes += 1
    },
  )
  /** Lets time pass; the event loop is free unless `turnMillis` is longer than a tick. */
  const pass = (millis: number, turnMillis = tickMillis) => {
    for (let passed = 0; passed < millis; passed += turnMillis) {
      nowMillis += turnMillis
      meter.tick()
    }
  }
  /** Keeps `making` requests under way, each of which takes `sojournMillis`. */
  const serve = (making: number, sojournMillis: number, millis: number) => {
    const began: Array<number> = Array.from({ length: making }, () => meter.begin())
    for (let passed = 0; passed < millis; passed += tickMillis) {
      pass(tickMillis)
      const done = Math.round((making * tickMillis) / sojournMillis)
      for (const beganMillis of began.splice(0, done)) {
        meter.end(beganMillis)
        began.push(meter.begin())
      }
    }
    const stop = () => {
      for (const beganMillis of began.splice(0)) meter.end(beganMillis)
    }
    return { stop }
  }
  const wait = (millis: number) => {
    nowMillis += millis
  }
  return { meter, pass, serve, wait, wakes: () => wakes }
}

describe("the delay of requests", () => {
  it("the delay is 0 when idle", () => {
    const { meter, pass } = makeMeter()
    pass(1_000)

    expect(meter.delayMillis).toBe(0)
  })

  it("the delay is 0 again once requests that waited are over", () => {
    const { meter, pass, serve } = makeMeter()
    serve(1_000, 500, 2_000).stop()
    pass(300)

    expect(meter.delayMillis).toBe(0)
  })

  it("the delay is how long requests take that hold each other up, by Little's law", () => {
    const { meter, serve } = makeMeter()
    serve(1_000, 500, 3_000)

    expect(meter.delayMillis).toBeGreaterThan(450)
    expect(meter.delayMillis).toBeLessThan(600)
  })

  it("the delay is not raised by one long turn of the event loop that is over", () => {
    const { meter, pass } = makeMeter()
    pass(200)
    pass(90, 90)
    pass(200)

    expect(meter.delayMillis).toBe(0)
  })

  it("the delay is what the event loop's turns exceed a tick by, where none of them is short", () => {
    const { meter, pass } = makeMeter()
    pass(800, 80)

    expect(meter.delayMillis).toBe(80 - tickMillis)
  })

  it("the delay grows while requests are under way and none ends", () => {
    const { meter, pass } = makeMeter()
    meter.begin()
    pass(1_000)

    expect(meter.delayMillis).toBeGreaterThanOrEqual(800)
  })
})

describe("the rate of requests", () => {
  it("the rate does not fall where few requests are made", () => {
    const { meter, serve } = makeMeter()
    const before = meter.perSecond
    serve(2, 20, 5_000)

    expect(meter.perSecond).toBe(before)
  })

  it("the rate does not fall where many requests wait for something slow, but not for each other", () => {
    const { meter, serve } = makeMeter()
    const before = meter.perSecond
    serve(40, 60, 5_000)

    expect(meter.perSecond).toBe(before)
  })

  it("the rate falls to what is done where requests hold each other up, and rises with it again", () => {
    const { meter, serve } = makeMeter()
    serve(300, 1_000, 3_000).stop()
    expect(meter.perSecond).toBeLessThan(400)

    serve(200, 20, 3_000)
    expect(meter.perSecond).toBeGreaterThan(5_000)
  })

  it("the rate stays positive, and the delay finite, whatever happens", () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant("serve" as const), making: fc.integer({ min: 1, max: 3_000 }) }),
      fc.record({ kind: fc.constant("pass" as const), millis: fc.integer({ min: 1, max: 2_000 }) }),
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
        const { meter, pass, serve } = makeMeter()
        for (const one of acts) {
          if (one.kind === "pass") pass(one.millis, one.millis)
          else serve(one.making, 1 + (one.making % 700), 200).stop()
          expect(meter.perSecond).toBeGreaterThan(0)
          expect(Number.isFinite(meter.delayMillis)).toBe(true)
          expect(meter.delayMillis).toBeGreaterThanOrEqual(0)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe("the meter at rest", () => {
  const idle = 2 * restAfterMillis

  it("the meter rests after a second without a request, and ticks seldom", () => {
    const { meter, pass } = makeMeter()
    pass(restAfterMillis - tickMillis)
    expect(meter.tickAfterMillis).toBe(tickMillis)
    pass(2 * tickMillis)
    expect(meter.tickAfterMillis).toBe(restTickMillis)
    pass(idle, restTickMillis)
    expect(meter.tickAfterMillis).toBe(restTickMillis)
    expect(meter.delayMillis).toBe(0)
  })

  it("the first request wakes the meter at once, and the next one does not wake it again", () => {
    const { meter, pass, wakes } = makeMeter()
    pass(idle)
    meter.begin()
    meter.begin()
    expect(wakes()).toBe(1)
    expect(meter.tickAfterMillis).toBe(tickMillis)
    pass(tickMillis)
    expect(meter.lagMillis).toBe(0)
  })

  it("a request under way keeps the meter awake", () => {
    const { meter, pass } = makeMeter()
    meter.begin()
    pass(idle)
    expect(meter.tickAfterMillis).toBe(tickMillis)
  })

  it("a request that came while the event loop was held up at rest meets its lag", () => {
    const { meter, pass, wait } = makeMeter()
    pass(idle)
    wait(restTickMillis + 3_000)
    meter.begin()
    expect(meter.lagMillis).toBe(3_000)
  })

  it("a late tick at rest does not count as standing lag", () => {
    const { meter, pass } = makeMeter()
    pass(idle)
    pass(restTickMillis + 90, restTickMillis + 90)
    pass(idle, restTickMillis)
    expect(meter.lagMillis).toBe(0)
  })
})
