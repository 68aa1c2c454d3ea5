import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { limits } from "../../../schema/limits.ts"
import { type Asker, strangerAsker, userAsker } from "../../../src/accounts/users/fairWaitingRoom.ts"
import { makePasswordQueue } from "../../../src/accounts/users/passwordQueue.ts"

/** How a try ended, and how long it took. */
interface Ended {
  readonly outcome: "right" | "wrong" | "refused"
  readonly millis: number
}

/** A check takes a quarter of a second, as at the default cost. */
const checkMillis = 250

const makeService = () => {
  const queue = makePasswordQueue(1)
  return (asker: Asker, isRight: boolean): Effect.Effect<Ended> =>
    Effect.gen(function* () {
      const sinceMillis = yield* Clock.currentTimeMillis
      const check = Effect.as(Effect.sleep(checkMillis), isRight)
      const outcome = yield* queue(asker, check, (answer) => !answer).pipe(
        Effect.map((answer) => (answer ? "right" : "wrong")),
        Effect.catch(() => Effect.succeed("refused" as const)),
      )
      return { outcome, millis: (yield* Clock.currentTimeMillis) - sinceMillis }
    })
}
type Service = ReturnType<typeof makeService>

/** An address of another provider, site and client for each number. */
const addressOf = (number: number): string =>
  `fd${(number >> 16).toString(16).padStart(2, "0")}:${(number & 0xffff).toString(16)}::1`
const owner = (number: number): Asker => strangerAsker(addressOf(1_000_000 + number))

/** Clients of distinct networks that try wrong passwords, each at an interval, from now until interrupted. */
const attack = (service: Service, clients: number, everyMillis: number) =>
  Effect.forEach(
    Array.from({ length: clients }, (_, client) => client),
    (client) =>
      Effect.sleep(Math.floor((everyMillis * client) / clients)).pipe(
        Effect.andThen(
          Effect.forever(
            Effect.andThen(
              Effect.forkChild(service(strangerAsker(addressOf(client)), false)),
              Effect.sleep(everyMillis),
            ),
          ),
        ),
        Effect.forkChild,
      ),
  )

/** Twenty networks a second that each try once, from now until interrupted. */
const flood = (service: Service) => {
  let client = 0
  const one = Effect.suspend(() => service(strangerAsker(addressOf(client++)), false))
  return Effect.forkChild(Effect.forever(Effect.andThen(Effect.forkChild(one), Effect.sleep(50))))
}

/** Tries again `pauseMillis` after each refusal; returns the number of tries and how the last one ended. */
const tryUntilIn = (service: Service, asker: Asker, pauseMillis: number, triesMax: number) =>
  Effect.gen(function* () {
    for (let tries = 1; ; tries++) {
      const { outcome } = yield* service(asker, true)
      if (outcome === "right" || tries === triesMax) return { outcome, tries }
      yield* Effect.sleep(pauseMillis)
    }
  })

describe("the password queue beside clients that try wrong passwords", () => {
  for (const clients of [64, 640]) {
    it.effect(
      `beside ${clients} clients with five wrong tries a minute, owners on new addresses are in within 3 s`,
      () =>
        Effect.gen(function* () {
          const service = makeService()
          yield* attack(service, clients, 12_000)
          yield* TestClock.adjust("1 minute")
          const fibers: Array<Fiber.Fiber<Ended>> = []
          for (let i = 0; i < 10; i++) {
            fibers.push(yield* Effect.forkChild(service(owner(i), true)))
            yield* TestClock.adjust("3 seconds")
          }
          yield* TestClock.adjust("15 seconds")
          const endings = yield* Effect.forEach(fibers, Fiber.join)
          expect(endings.map(({ outcome }) => outcome)).toEqual(Array(10).fill("right"))
          expect(Math.max(...endings.map(({ millis }) => millis))).toBeLessThanOrEqual(3_000)
        }),
      60_000,
    )
  }

  it.effect(
    "an owner who mistyped once is in at the next try, beside clients that are wrong again and again",
    () =>
      Effect.gen(function* () {
        const service = makeService()
        yield* attack(service, 160, 12_000)
        yield* TestClock.adjust("3 minutes")
        const mistyped = yield* Effect.forkChild(service(owner(1), false))
        yield* TestClock.adjust("5 seconds")
        expect((yield* Fiber.join(mistyped)).outcome).toBe("wrong")
        const next = yield* Effect.forkChild(service(owner(1), true))
        yield* TestClock.adjust("20 seconds")
        const { outcome, millis } = yield* Fiber.join(next)
        expect(outcome).toBe("right")
        expect(millis).toBeLessThanOrEqual(3_000)
      }),
  )

  it.effect("an owner behind an attacker's own address gets in at some time", () =>
    Effect.gen(function* () {
      const service = makeService()
      yield* attack(service, 160, 12_000)
      yield* TestClock.adjust("2 minutes")
      const trying = yield* Effect.forkChild(tryUntilIn(service, strangerAsker(addressOf(0)), 12_007, 25))
      yield* TestClock.adjust("8 minutes")
      expect((yield* Fiber.join(trying)).outcome).toBe("right")
    }),
  )

  it.effect(
    "beside thousands of networks that each try once, an owner who was refused is in at the second try",
    () =>
      Effect.gen(function* () {
        const service = makeService()
        yield* flood(service)
        yield* TestClock.adjust("1 minute")
        const trying = yield* Effect.forkChild(tryUntilIn(service, owner(1), 5_000, 3))
        yield* TestClock.adjust("1 minute")
        const { outcome, tries } = yield* Fiber.join(trying)
        expect(outcome).toBe("right")
        expect(tries).toBeLessThanOrEqual(2)
      }),
  )

  it.effect("a first try is in or refused within 3 s and its check, whatever waits", () =>
    Effect.gen(function* () {
      const service = makeService()
      yield* attack(service, 160, 12_000)
      yield* TestClock.adjust("2 minutes")
      yield* flood(service)
      const fibers: Array<Fiber.Fiber<Ended>> = []
      for (let i = 0; i < 40; i++) {
        fibers.push(yield* Effect.forkChild(service(owner(i), true)))
        yield* TestClock.adjust(507)
      }
      yield* TestClock.adjust("15 seconds")
      const endings = yield* Effect.forEach(fibers, Fiber.join)
      // The check that runs when it comes, and its own.
      const millisMax = limits.firstTryWaitMillisMax + 2 * checkMillis
      expect(Math.max(...endings.map(({ millis }) => millis))).toBeLessThanOrEqual(millisMax)
      expect(new Set(endings.map(({ outcome }) => outcome))).toEqual(new Set(["right", "refused"]))
    }),
  )

  it.effect("a known user is in after the check that runs, beside clients that try wrong passwords", () =>
    Effect.gen(function* () {
      const service = makeService()
      yield* attack(service, 160, 12_000)
      yield* TestClock.adjust("1 minute")
      const known = yield* Effect.forkChild(service(userAsker("ana"), true))
      yield* TestClock.adjust("1 second")
      const { outcome, millis } = yield* Fiber.join(known)
      expect(outcome).toBe("right")
      expect(millis).toBeLessThanOrEqual(2 * checkMillis)
    }),
  )
})

describe("a place in the password queue", () => {
  /** A check of that duration, then one that waits behind it and a third that comes later. */
  const behind = (firstMillis: number) =>
    Effect.gen(function* () {
      const queue = makePasswordQueue(1)
      const endings: Array<string> = []
      const ask = (name: string, address: number, millis: number) =>
        queue(owner(address), Effect.sleep(millis), () => false).pipe(
          Effect.match({
            onFailure: ({ code, retryAfterSeconds }) => `${code}, again after ${retryAfterSeconds} s`,
            onSuccess: () => "checked",
          }),
          Effect.flatMap((ending) =>
            Effect.map(Clock.currentTimeMillis, (atMillis) =>
              endings.push(`${name} ${ending} at ${atMillis}`),
            ),
          ),
          Effect.forkChild({ startImmediately: true }),
        )
      yield* ask("first", 1, firstMillis)
      yield* ask("second", 2, 10)
      yield* TestClock.adjust("5 seconds")
      yield* ask("third", 3, 10)
      yield* TestClock.adjust("1 minute")
      return endings
    })

  it.effect("a place in the password queue is given up when its ten seconds are over", () =>
    Effect.gen(function* () {
      expect(yield* behind(limits.passwordWaitMillisMax + 1)).toEqual([
        "second service_unavailable, again after 5 s at 10000",
        "first checked at 10001",
        "third checked at 10011",
      ])
    }),
  )

  it.effect("a place in the password queue is kept until its ten seconds are over", () =>
    Effect.gen(function* () {
      expect(yield* behind(limits.passwordWaitMillisMax - 1)).toEqual([
        "first checked at 9999",
        "second checked at 10009",
        "third checked at 10019",
      ])
    }),
  )

  it.effect("a turn that comes in the moment a place is given up is not lost", () =>
    Effect.gen(function* () {
      const endings = yield* behind(limits.passwordWaitMillisMax)
      expect(
        endings.filter((ending) => ending.startsWith("first checked") || ending.startsWith("third checked")),
      ).toHaveLength(2)
    }),
  )

  it.effect("places that were given up are free again", () =>
    Effect.gen(function* () {
      const queue = makePasswordQueue(1)
      const ask = (address: number) =>
        queue(owner(address), Effect.sleep("1 minute"), () => false).pipe(
          Effect.match({ onFailure: () => "refused", onSuccess: () => "checked" }),
          Effect.forkChild({ startImmediately: true }),
        )
      for (let i = 0; i <= limits.passwordsWaitingMax; i++) yield* ask(i)
      expect(yield* Fiber.join(yield* ask(1_000))).toBe("refused")
      yield* TestClock.adjust(limits.passwordWaitMillisMax)
      const waiting = yield* ask(1_001)
      yield* TestClock.adjust(1)
      expect(waiting.pollUnsafe()).toBeUndefined()
    }),
  )
})
