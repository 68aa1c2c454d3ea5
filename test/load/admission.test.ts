import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Admission, type AdmissionOptions } from "../../src/load/admission.ts"
import type { Place } from "../../src/load/fairQueue.ts"
import { LoadMeter, tickMillis } from "../../src/load/loadMeter.ts"

let turns = 0

/** A request of the model: the admission starts it, the test ends it. */
class Request {
  state: "waiting" | "running" | "late" | "gone" | "done" = "waiting"
  place: Place<Request> | undefined = undefined
  turn = 0
  readonly key: string
  readonly beganMillis: number
  constructor(key: string, beganMillis: number) {
    this.key = key
    this.beganMillis = beganMillis
  }
  start(): void {
    this.state = "running"
    this.turn = turns++
  }
  refuseLate(): void {
    this.state = "late"
  }
}

/** A process and its clients, driven tick by tick. */
const makeProcess = (options: Partial<AdmissionOptions> = {}) => {
  let nowMillis = 1_000
  const meter = new LoadMeter(() => nowMillis)
  const admission = new Admission(
    meter,
    { targetMillis: 500, runningMax: 256, bytesWaitingMax: 1_000_000, random: () => 0, ...options },
    nowMillis,
  )
  const all: Array<Request> = []
  /** Returns undefined where the request is refused. */
  const ask = (key: string, bytes = 1): Request | undefined => {
    if (admission.isCrowded && admission.refuses(key)) return undefined
    if (admission.refusesBytes(bytes)) return undefined
    const request = new Request(key, meter.begin())
    all.push(request)
    request.place = admission.enter(request, () => key, bytes) as Place<Request> | undefined
    return request
  }
  const leave = (request: Request) => {
    request.state = "gone"
    if (request.place !== undefined) admission.abandon(request.place)
    meter.giveUp()
  }
  const end = (request: Request) => {
    request.state = "done"
    meter.end(request.beganMillis)
    admission.leave()
  }
  /** A tick that ends `done` requests, the earliest started first. */
  const tick = (done: number) => {
    nowMillis += tickMillis
    const running = all
      .filter(({ state }) => state === "running")
      .sort((left, right) => left.turn - right.turn)
    for (const request of running.slice(0, done)) end(request)
    meter.tick()
    admission.tick(nowMillis)
    for (const request of all) {
      if (request.state === "late" && request.place !== undefined) {
        request.place = undefined
        meter.giveUp()
      }
    }
  }
  const count = (state: Request["state"]) => all.filter((request) => request.state === state).length
  return { admission, meter, all, ask, end, leave, tick, count, now: () => nowMillis }
}

describe("admission", () => {
  it("admission refuses nobody while all can be answered in time", () => {
    const { ask, tick, admission } = makeProcess()
    for (let i = 0; i < 200; i++) {
      for (let j = 0; j < 20; j++) expect(ask("a")).toBeDefined()
      tick(20)
    }
    expect(admission.refusedShare).toBe(0)
  })

  it("admission accepts a burst up to the answers it expects within three fifths of the target", () => {
    const { ask, meter } = makeProcess()
    const bound = Math.floor((meter.perSecond * 300) / 1_000)
    const burst = Array.from({ length: bound + 2 }, () => ask("a"))

    expect(burst.filter((request) => request === undefined)).toHaveLength(1)
    expect(burst.at(-1)).toBeUndefined()
  })

  it("admission keeps waits near the target under tenfold load, while the process works at its full rate", () => {
    const { ask, tick, all, now } = makeProcess()
    const perTick = 60
    let done = 0
    for (let i = 0; i < 300; i++) {
      for (let j = 0; j < 10 * perTick; j++) ask("a")
      const before = all.filter(({ state }) => state === "done").length
      tick(perTick)
      if (i >= 100) done += all.filter(({ state }) => state === "done").length - before
    }
    expect(done).toBe(200 * perTick)
    const oldest = all.find(({ state }) => state === "waiting")
    expect(now() - (oldest?.beganMillis ?? 0)).toBeLessThan(600)
  })

  it("admission accepts everyone again as soon as an overload is over", () => {
    const { ask, tick, count } = makeProcess()
    for (let i = 0; i < 200; i++) {
      for (let j = 0; j < 500; j++) ask("a")
      tick(50)
    }
    for (let i = 0; i < 50; i++) tick(50)
    expect(count("waiting") + count("running")).toBe(0)
    for (let j = 0; j < 50; j++) expect(ask("a")).toBeDefined()
  })

  it("admission refuses one key's flood, and nothing that another key asks meanwhile", () => {
    const { ask, tick, all } = makeProcess()
    let refused = 0
    const others: Array<Request | undefined> = []
    for (let i = 0; i < 300; i++) {
      for (let j = 0; j < 400; j++) if (ask("flood") === undefined) refused += 1
      others.push(ask("other"))
      tick(50)
    }
    expect(refused).toBeGreaterThan(10_000)
    expect(others.every((request) => request !== undefined)).toBe(true)
    // All but those that came just now are done.
    const waiting = all.filter(({ key, state }) => key === "other" && state !== "done")
    expect(waiting.length).toBeLessThan(15)
  })

  it("admission spares another key from a flood even where running requests alone take longer than the target", () => {
    const { ask, tick } = makeProcess()
    const others: Array<Request | undefined> = []
    for (let i = 0; i < 300; i++) {
      for (let j = 0; j < 40; j++) ask("flood")
      // By then the meter knows how slow the process is.
      if (i >= 200 && i % 10 === 0) others.push(ask("other"))
      tick(2)
    }
    expect(others.filter((request) => request === undefined)).toEqual([])
  })

  it("a waiting request whose client has left is never started, and the next one takes its place", () => {
    const { ask, end, leave } = makeProcess({ runningMax: 1 })
    const [first, second, third] = [ask("a"), ask("a"), ask("a")]
    if (first === undefined || second === undefined) throw new Error("refused")
    leave(second)
    end(first)

    expect([second.state, third?.state]).toEqual(["gone", "running"])
  })

  it("a request that has waited too long is refused as late instead of started", () => {
    const { ask, tick } = makeProcess({ runningMax: 1 })
    ask("a")
    const second = ask("a")
    for (let i = 0; i < 50; i++) tick(0)
    expect(second?.state).toBe("waiting")
    tick(0)
    tick(0)
    expect(second?.state).toBe("late")
  })

  it("bytes may wait up to their bound, and not one more", () => {
    const { ask } = makeProcess({ runningMax: 1, bytesWaitingMax: 100 })
    ask("a", 1_000)

    expect(ask("a", 100)).toBeDefined()
    expect(ask("a", 1)).toBeUndefined()
  })

  it("Retry-After grows with the number of refused requests, up to ten seconds", () => {
    const { admission } = makeProcess({ random: () => 0.999 })
    // Each coming second has room for 400: a fifth of the 2,000 that a process is assumed to serve in it.
    const delays = Array.from({ length: 4_001 }, () => admission.retryAfterSeconds())

    expect(delays.slice(0, 400).every((seconds) => seconds === 1)).toBe(true)
    expect(delays[400]).toBe(2)
    expect(delays[3_999]).toBe(10)
    expect(delays[4_000]).toBe(10)
  })

  it("the refused share is that of the last seconds' requests, and is 0 within two seconds of the last refusal", () => {
    const { ask, tick, admission } = makeProcess()
    for (let i = 0; i < 100; i++) {
      for (let j = 0; j < 100; j++) ask("a")
      tick(50)
    }
    expect(admission.refusedShare).toBeGreaterThan(0.4)
    for (let i = 0; i < 105; i++) tick(50)
    expect(admission.refusedShare).toBe(0)
  })

  it("admission never runs more than it may, loses no request and leaves no free place unused, whatever happens", () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant("ask" as const), key: fc.constantFrom("a", "b", "c") }),
      fc.record({ kind: fc.constant("end" as const), at: fc.nat(9) }),
      fc.record({ kind: fc.constant("leave" as const), at: fc.nat(9) }),
      fc.record({ kind: fc.constant("tick" as const) }),
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
        const { ask, end, leave, tick, all, count, meter, admission } = makeProcess({ runningMax: 3 })
        for (const one of acts) {
          if (one.kind === "ask") ask(one.key)
          else if (one.kind === "tick") tick(0)
          else {
            const wanted = one.kind === "end" ? "running" : "waiting"
            const found = all.filter(({ state }) => state === wanted)[one.at]
            if (found !== undefined) (one.kind === "end" ? end : leave)(found)
          }
          expect(count("running")).toBeLessThanOrEqual(3)
          if (count("waiting") > 0) expect(count("running")).toBe(3)
          expect(admission.waiting).toBe(count("waiting"))
          expect(meter.inProgress).toBe(count("waiting") + count("running"))
        }
      }),
    )
  })
})
