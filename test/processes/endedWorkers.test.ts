import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Histogram } from "../../actors/metrics/histogram.ts"
import { Asked } from "../../src/processes/asked.ts"
import type { SupervisorMessage } from "../../src/processes/messages.ts"
import { makeMetricsDesk, reportTimeoutMillis } from "../../src/processes/metricsDesk.ts"
import type { WorkerEnd, WorkerProcess } from "../../src/processes/workerProcess.ts"
import type { Report } from "../../src/scrape/series.ts"
import { runsOf } from "../support/sizes.ts"

type Scraped = Extract<SupervisorMessage, { readonly kind: "scraped" }>

const series = { description: "a metric", labels: {} }

/** A worker as the supervisor sees it: what it counts, and whether it reports. */
class FakeWorker {
  counted = 0
  open = 0
  isHanging = false
  /** A question came while it hung; it is not asked again before it has answered. */
  hasQuestion = false
  /** Dies of the next question, before it answers. */
  diesWhenAsked = false
  isListening = false
  readonly scraped: Array<Scraped> = []
  readonly process: WorkerProcess
  readonly #reported = new Asked<Report>()
  readonly #durations = new Histogram([1, 2])
  readonly #ended = Deferred.makeUnsafe<WorkerEnd>()
  readonly #running: Set<WorkerProcess>

  constructor(running: Set<WorkerProcess>) {
    this.#running = running
    this.process = {
      number: running.size + 1,
      pid: 0,
      startedMillis: 0,
      listening: Effect.void,
      isListening: () => this.isListening,
      report: this.#reported.wait(() => this.#asked()),
      tell: (message) => {
        if (message.kind === "scraped") this.scraped.push(message)
      },
      ended: Deferred.await(this.#ended),
      signal: () => {},
    }
    running.add(this.process)
  }

  count(): void {
    this.counted += 1
    this.#durations.record(1)
  }

  recover(): void {
    this.isHanging = false
    if (this.hasQuestion) this.#answer()
  }

  die(): void {
    this.#running.delete(this.process)
    Deferred.doneUnsafe(this.#ended, Effect.succeed({ sentence: undefined, how: "SIGKILL" }))
  }

  #asked(): void {
    if (this.diesWhenAsked) {
      this.die()
      return
    }
    this.hasQuestion = true
    if (!this.isHanging) this.#answer()
  }

  #answer(): void {
    const report: Report = [
      { ...series, kind: "counter", name: "counted_total", value: this.counted },
      { ...series, kind: "gauge", name: "open", value: this.open },
      { ...series, kind: "histogram", name: "took", ...this.#durations.state },
    ]
    // A message between processes never arrives while it is being sent.
    queueMicrotask(() => this.#reported.answer(report))
    this.hasQuestion = false
  }
}

/** What the desk must know of a worker: its last report. */
interface Known {
  counted: number
  open: number
}

/** Lets the desk's fibers run, until `isDone` or for longer than they need. */
const turns = (isDone: () => boolean) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 100 && !isDone(); turn++) yield* Effect.yieldNow
  })

const sumOf = (known: Iterable<Known>, of: keyof Known): number =>
  [...known].reduce((sum, one) => sum + one[of], 0)

const valueOf = (report: Report, name: string): number => {
  const found = report.find((one) => one.name === name)
  if (found === undefined) return 0
  return found.kind === "histogram" ? found.count : found.value
}

const act = fc.record({
  kind: fc.constantFrom(
    "start",
    "listen",
    "count",
    "open",
    "hang",
    "recover",
    "die",
    "dieWhenAsked",
    "scrape",
  ),
  worker: fc.nat(7),
})
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never

/** Does the acts on a desk and on the model of it; compares each scrape. */
const play = (acts: ReadonlyArray<Act>) =>
  Effect.gen(function* () {
    const running = new Set<WorkerProcess>()
    const desk = yield* makeMetricsDesk(running)
    const asker = new FakeWorker(running)
    asker.isListening = true
    const alive: Array<FakeWorker> = []
    const known = new Map<FakeWorker, Known>()
    /** Last reports of those that have ended: only totals count of them. */
    const ended: Array<Known> = []
    let lowest = 0

    const retire = (worker: FakeWorker) => {
      alive.splice(alive.indexOf(worker), 1)
      const last = known.get(worker)
      if (last !== undefined) ended.push(last)
      known.delete(worker)
    }

    const scrape = Effect.gen(function* () {
      desk.scraped(asker.process)
      const asked = [asker, ...alive].filter(({ isListening }) => isListening)
      const dying = asked.filter(({ diesWhenAsked, hasQuestion }) => diesWhenAsked && !hasQuestion)
      const hanging = asked.filter((worker) => worker.isHanging && !dying.includes(worker))
      yield* turns(() => false)
      if (hanging.length > 0) yield* TestClock.adjust(reportTimeoutMillis)
      yield* turns(() => asker.scraped.length > 0)
      const [answer, ...more] = asker.scraped.splice(0)
      if (answer === undefined) throw new Error("the scrape was not answered")
      expect(more).toEqual([])
      for (const worker of asked) {
        if (dying.includes(worker)) retire(worker)
        else if (!hanging.includes(worker)) known.set(worker, { counted: worker.counted, open: worker.open })
      }
      const counted = sumOf([...known.values(), ...ended], "counted")
      expect({
        silent: answer.silent,
        counted: valueOf(answer.report, "counted_total"),
        took: valueOf(answer.report, "took"),
        open: valueOf(answer.report, "open"),
      }).toEqual({ silent: hanging.length, counted, took: counted, open: sumOf(known.values(), "open") })
      // A fall would read as a restart of all of them.
      expect(counted).toBeGreaterThanOrEqual(lowest)
      lowest = counted
    })

    for (const { kind, worker: number } of acts) {
      const worker = alive[number % Math.max(1, alive.length)]
      if (kind === "start") alive.push(new FakeWorker(running))
      if (kind === "scrape") yield* scrape
      if (worker === undefined) continue
      if (kind === "listen") worker.isListening = true
      if (kind === "count") worker.count()
      if (kind === "open") worker.open += 1
      if (kind === "hang") worker.isHanging = true
      if (kind === "recover") worker.recover()
      if (kind === "dieWhenAsked") worker.diesWhenAsked = true
      if (kind === "die") {
        worker.die()
        retire(worker)
      }
    }
    yield* scrape
    return lowest
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

const starts = (count: number): ReadonlyArray<Act> =>
  Array.from({ length: count }, (_, worker) => [
    { kind: "start" as const, worker },
    { kind: "listen" as const, worker },
  ]).flat()

describe("a scrape of workers that die", () => {
  it("a scrape counts each ended worker as of its last report, whenever it died, and sums never fall", () =>
    fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        await play([...starts(3), ...acts])
      }),
      { numRuns: runsOf(400) },
    ))

  it("a worker that dies of the question is not waited for, is not silent, and its totals stay", async () => {
    const lowest = await play([
      ...starts(2),
      { kind: "count", worker: 0 },
      { kind: "count", worker: 1 },
      { kind: "scrape", worker: 0 },
      { kind: "count", worker: 0 },
      { kind: "dieWhenAsked", worker: 0 },
      { kind: "scrape", worker: 0 },
    ])
    expect(lowest).toBe(2)
  })
})
