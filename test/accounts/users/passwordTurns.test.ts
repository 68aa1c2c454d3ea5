import { hash } from "node:crypto"
import { availableParallelism } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { hashSync } from "bcryptjs"
import { Effect, Fiber } from "effect"
import { limits } from "../../../schema/limits.ts"
import { type Asker, strangerAsker, userAsker } from "../../../src/accounts/users/fairWaitingRoom.ts"
import { cheapCostMax, Passwords, PasswordsLive } from "../../../src/accounts/users/passwords.ts"

const threads = Math.max(1, Math.min(limits.passwordWorkersMax, availableParallelism() - 1))
const hashed = hashSync(hash("sha256", "correct horse battery", "base64"), cheapCostMax + 1)

/** Fills all threads and places with clients, each of a fresh IPv6 site, then runs `program`. */
const withFullQueue = <A, E>(
  program: (
    ask: (name: string, asker: Asker) => Effect.Effect<Fiber.Fiber<string>>,
    ended: ReadonlyArray<string>,
  ) => Effect.Effect<A, E>,
) =>
  Effect.gen(function* () {
    const { verify } = yield* Passwords
    const ended: Array<string> = []
    const ask = (name: string, asker: Asker) =>
      verify("correct horse battery", hashed, asker).pipe(
        Effect.map((isRight) => (isRight ? "right" : "wrong")),
        Effect.catch(({ code }) => Effect.succeed<string>(code)),
        Effect.tap((outcome) => Effect.sync(() => ended.push(`${name} ${outcome}`))),
        Effect.forkChild({ startImmediately: true }),
      )
    const fibers: Array<Fiber.Fiber<string>> = []
    for (let i = 0; i < threads + limits.passwordsWaitingMax + 6; i++) {
      fibers.push(yield* ask("attacker", strangerAsker(`2001:db8:${i.toString(16)}::1`)))
    }
    const result = yield* program(ask, ended)
    yield* Effect.forEach(fibers, Fiber.join)
    return result
  }).pipe(Effect.provide(PasswordsLive), Effect.scoped)

describe("a password queue that strangers of fresh IPv6 sites have filled", () => {
  it.live("a known user is served before all strangers that wait in a full password queue", () =>
    withFullQueue((ask, ended) =>
      Effect.gen(function* () {
        const answer = yield* Fiber.join(yield* ask("owner", userAsker("ana")))
        expect(answer).toBe("right")
        const before = ended
          .slice(0, ended.indexOf("owner right"))
          .filter((name) => name === "attacker right")
        expect(before.length).toBeLessThanOrEqual(threads)
      }),
    ),
  )

  it.live(
    "a stranger of another network passes a full password queue after one other stranger a thread",
    () =>
      withFullQueue((ask, ended) =>
        Effect.gen(function* () {
          const answer = yield* Fiber.join(yield* ask("stranger", strangerAsker("198.51.100.7")))
          expect(answer).toBe("right")
          const before = ended.slice(0, ended.indexOf("stranger right"))
          expect(before.filter((name) => name === "attacker right").length).toBeLessThanOrEqual(
            2 * threads + 1,
          )
        }),
      ),
  )

  it.live("a full password queue refuses one more stranger, and a known user who left may ask again", () =>
    withFullQueue((ask, ended) =>
      Effect.gen(function* () {
        const one = yield* ask("attacker", strangerAsker("2001:db8:ffff::1"))
        expect(yield* Fiber.join(one)).toBe("service_unavailable")
        expect(ended.filter((name) => name.endsWith("service_unavailable")).length).toBe(7)
        const waiting = yield* ask("owner", userAsker("ana"))
        yield* Fiber.interrupt(waiting)
        expect(yield* Fiber.join(yield* ask("owner", userAsker("ana")))).toBe("right")
      }),
    ),
  )
})

describe("networks with a wrong password", () => {
  it.live("networks with a wrong password wait behind one that asks for the first time", () =>
    Effect.gen(function* () {
      const { verify } = yield* Passwords
      const ended: Array<string> = []
      const ask = (name: string, password: string, asker: Asker) =>
        Effect.forkChild(
          Effect.map(verify(password, hashed, asker), () => ended.push(name)),
          { startImmediately: true },
        )
      const clients = Array.from({ length: 12 }, (_, i) => strangerAsker(`2001:db8:${i.toString(16)}::1`))
      const tries = yield* Effect.forEach(clients, (client) => ask("wrong", "wrong horse battery", client))
      yield* Effect.forEach(tries, Fiber.join)
      const busy = yield* Effect.forEach(Array.from({ length: threads }), () =>
        ask("busy", "correct horse battery", userAsker("ana")),
      )
      const again = yield* Effect.forEach(clients, (client) => ask("again", "wrong horse battery", client))
      const owner = yield* ask("owner", "correct horse battery", strangerAsker("198.51.100.7"))
      yield* Effect.forEach([...busy, ...again, owner], Fiber.join)
      const before = ended.slice(0, ended.indexOf("owner")).filter((name) => name === "again")
      // At most one turn is another rank's, and other threads may end meanwhile.
      expect(before.length).toBeLessThanOrEqual(2 * threads)
    }).pipe(Effect.provide(PasswordsLive), Effect.scoped),
  )
})
