import { Effect, Exit, Layer, Logger, Metric, Scope } from "effect"
import { format } from "effect/observability/PrometheusMetrics"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { AuditTimerLive } from "../../src/audit/auditTimer.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"

const intervalMillis = 60_000

let stage: AuditStage
let logs: Array<string> = []
beforeAll(async () => {
  stage = await startAuditStage()
})
afterAll(() => stage.stop())
beforeEach(async () => {
  logs = []
  await stage.redis.del(keys.auditResultKey, keys.auditorKey)
})

const logger = Logger.layer([Logger.make((entry) => logs.push(Logger.formatSimple.log(entry)))])

const NoRequests = Layer.succeed(RequestDelay, {
  currentMillis: () => 0,
  inProgress: () => 0,
  started: () => 0,
})

/** Runs a test beside the timer, on a test clock; its reads of Redis are real. */
const besideTimer = <A>(
  interval: number | undefined,
  test: Effect.Effect<A, unknown, Scope.Scope>,
): Promise<A> =>
  stage.runtime.runPromise(
    Effect.scoped(test).pipe(
      Effect.provide(Layer.provide(AuditTimerLive(interval), NoRequests)),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide(Layer.merge(TestClock.layer(), logger)),
    ),
  )

/** What the metrics say of the last audit. */
const auditNow = Effect.map(format(), (metrics): "none" | "ok" | "difference" => {
  const isOk = /^corrente_audit_ok (\S+)$/m.exec(metrics)?.[1]
  if (isOk === undefined) return "none"
  return isOk === "1" ? "ok" : "difference"
})

const stepMillis = 50
const stepsMax = 400

/** Gives Redis real time after a step: little at first, and then enough for one that a busy machine withholds for seconds. */
const waitAfterStep = (step: number) =>
  Effect.promise(() => new Promise((wake) => setTimeout(wake, step < stepsMax / 2 ? 5 : 200)))

/** Advances the test clock in steps until what is read matches. */
const advanceUntil = <A, R>(read: Effect.Effect<A, never, R>, matches: (found: A) => boolean) =>
  Effect.gen(function* () {
    for (let step = 0; step < stepsMax; step++) {
      const found = yield* read
      if (matches(found)) return found
      yield* TestClock.adjust(stepMillis)
      yield* waitAfterStep(step)
    }
    return yield* Effect.die(new Error("what is read never matched"))
  })

const untilAudit = (wanted: "ok" | "difference") => advanceUntil(auditNow, (found) => found === wanted)

/** A client that counts the calls that go through it. */
const countingClient = (client: RedisClient["Service"]) => {
  let calls = 0
  const counting = Effect.sync(() => void calls++)
  const counted: RedisClient["Service"] = {
    ...client,
    call: (command, args) => Effect.andThen(counting, client.call(command, args)),
    callAll: (commands) => Effect.andThen(counting, client.callAll(commands)),
  }
  return { counted, calls: () => calls }
}

describe("the timer of audits", () => {
  it("the audit timer is off without an interval: only that is measured", async () => {
    const metrics = await besideTimer(
      undefined,
      Effect.andThen(TestClock.adjust(intervalMillis * 10), format()),
    )

    expect(metrics.match(/^corrente_audit\S+ .*$/gm)).toEqual(["corrente_audit_interval_seconds 0"])
  })

  it("the audit timer audits at the start, and then the metrics are ok", async () => {
    const metrics = await besideTimer(
      intervalMillis,
      Effect.gen(function* () {
        yield* TestClock.setTime(1_795_000_000_000)
        yield* untilAudit("ok")
        return yield* format()
      }),
    )

    expect(metrics).toMatch(/^corrente_audit_interval_seconds 60$/m)
    expect(metrics).toMatch(/^corrente_audit_ok 1$/m)
    expect(metrics).toMatch(/^corrente_audit_oldest_full_seconds 1795/m)
    expect(metrics).toMatch(/^# TYPE corrente_audit_last_run_seconds gauge$/m)
    const seconds = Number(/^corrente_audit_last_run_seconds (\S+)$/m.exec(metrics)?.[1])
    expect(Math.floor(seconds / 1_000)).toBe(1_795_000)
  })

  it("the audit timer reports a difference at its next run, and its repair at the one after", async () => {
    const { owner } = stage.shop
    const balance = keys.balanceKey(owner)
    const metrics = await besideTimer(
      intervalMillis,
      Effect.gen(function* () {
        yield* untilAudit("ok")
        yield* Effect.promise(() => stage.redis.hincrby(balance, "available", 1))
        yield* TestClock.adjust(intervalMillis)
        yield* untilAudit("difference")
        const measured = yield* format()
        yield* Effect.promise(() => stage.redis.hincrby(balance, "available", -1))
        yield* TestClock.adjust(intervalMillis)
        yield* untilAudit("ok")
        return measured
      }),
    )

    expect(metrics).toMatch(/^corrente_audit_ok 0$/m)
    expect(logs.filter((line) => line.includes(balance) && line.includes("available"))).toHaveLength(1)
  })

  it("the audit timer audits when the last audit ended an interval ago, whichever process ran it", async () => {
    const atMillis = 1_795_000_000_000
    const ranAt = async (endedMillis: number): Promise<string | null> => {
      await stage.redis.hset(keys.auditResultKey, { differing_check: "feed", ended_at: endedMillis })
      const isOver = Effect.promise(() => stage.redis.hget(keys.auditResultKey, "ended_at"))
      return besideTimer(
        intervalMillis,
        Effect.gen(function* () {
          yield* TestClock.setTime(atMillis)
          const found = yield* advanceUntil(auditNow, (audit) => audit !== "none")
          if (found === "difference") yield* Effect.promise(() => new Promise((wake) => setTimeout(wake, 20)))
          return yield* isOver
        }),
      )
    }

    // One process' clock may be a little behind another's.
    const kept = [atMillis - intervalMillis + stepMillis + 1, atMillis, atMillis + intervalMillis - 1]
    for (const endedMillis of kept) expect(Number(await ranAt(endedMillis))).toBe(endedMillis)
  })

  it("the audit timer shows what another process found, and leaves the audit to the one that runs it", async () => {
    await stage.redis.set(keys.auditorKey, "another process")
    const check = await besideTimer(
      intervalMillis,
      Effect.gen(function* () {
        for (let i = 0; i < 20; i++) {
          yield* TestClock.adjust(intervalMillis)
          yield* Effect.promise(() => new Promise((wake) => setTimeout(wake, 2)))
        }
        const before = yield* auditNow
        yield* Effect.promise(() =>
          stage.redis.hset(keys.auditResultKey, { differing_check: "inbox", ended_at: 7 }),
        )
        return [before, yield* untilAudit("difference")] as const
      }),
    )

    expect(check).toEqual(["none", "difference"])
    expect(await stage.redis.get(keys.auditorKey)).toBe("another process")
  })

  it("the audit timer gives its lease up when its audit has ended", async () => {
    await besideTimer(intervalMillis, untilAudit("ok"))
    expect(await stage.redis.get(keys.auditorKey)).toBeNull()
  })

  it("the audit timer keeps its last result when it cannot read, and logs that it could not", async () => {
    const { owner } = stage.shop
    const ledger = keys.ledgerKey(owner)
    const check = await besideTimer(
      intervalMillis,
      Effect.gen(function* () {
        yield* untilAudit("ok")
        yield* Effect.promise(() => stage.redis.rename(ledger, "aside"))
        yield* Effect.promise(() => stage.redis.set(ledger, "no stream"))
        yield* TestClock.adjust(intervalMillis)
        for (let step = 0; step < stepsMax && logs.length === 0; step++) {
          // The timer may not be waiting yet when its result is seen.
          yield* TestClock.adjust(stepMillis)
          yield* waitAfterStep(step)
        }
        return yield* auditNow
      }).pipe(Effect.ensuring(Effect.promise(() => stage.redis.rename("aside", ledger)))),
    )

    expect(check).toBe("ok")
    expect(logs.join("\n")).toContain("The audit did not complete")
  })

  it("the audit timer reads nothing more once its service has ended", async () => {
    const program = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { counted, calls } = countingClient(yield* RedisClient)
      const timer = Layer.provide(AuditTimerLive(stepMillis), NoRequests)
      yield* Effect.provideService(Layer.buildWithScope(timer, scope), RedisClient, counted)
      const endedAt = Effect.map(
        format(),
        (metrics) => /^corrente_audit_last_run_seconds (.+)$/m.exec(metrics)?.[1],
      )
      const first = yield* advanceUntil(endedAt, (at) => at !== undefined)
      yield* advanceUntil(endedAt, (at) => at !== first)
      yield* Scope.close(scope, Exit.void)
      const before = calls()
      for (let i = 0; i < 10; i++) {
        yield* TestClock.adjust(stepMillis)
        yield* Effect.promise(() => new Promise((wake) => setImmediate(wake)))
      }
      return [before, calls()] as const
    })
    const [before, after] = await stage.runtime.runPromise(
      Effect.provide(program, Layer.merge(TestClock.layer(), logger)).pipe(
        Effect.provideService(Metric.MetricRegistry, new Map()),
      ),
    )

    expect(before).toBeGreaterThan(0)
    expect(after).toBe(before)
  })
})
