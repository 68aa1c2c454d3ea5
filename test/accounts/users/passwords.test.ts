import { hash } from "node:crypto"
import { availableParallelism } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { compareSync, getRounds, hashSync } from "bcryptjs"
import { Effect, Fiber } from "effect"
import { limits } from "../../../schema/limits.ts"
import { commandAsker } from "../../../src/accounts/users/fairWaitingRoom.ts"
import { cheapCostMax, Passwords, PasswordsLive } from "../../../src/accounts/users/passwords.ts"
import { importsOf, sourcesOf } from "../../layout/sources.ts"

/** Runs a program with a pool of its own, which ends with it. */
const withPasswords = <A, E>(program: Effect.Effect<A, E, Passwords>) =>
  Effect.scoped(Effect.provide(program, PasswordsLive))

const hashOf = (password: string, cost: number) => hashSync(hash("sha256", password, "base64"), cost)
/** A hash of the lowest cost that a thread compares. */
const hashForThread = (password: string) => hashOf(password, cheapCostMax + 1)

describe("a password", () => {
  it.live("a password is stored as bcrypt of cost 12 over its SHA-256 in base64, and verifies", () =>
    withPasswords(
      Effect.gen(function* () {
        const passwords = yield* Passwords
        const stored = yield* passwords.hash("correct horse battery", commandAsker)
        expect(stored).toMatch(/^\$2[aby]\$12\$/)
        expect(getRounds(stored)).toBe(12)
        expect(compareSync(hash("sha256", "correct horse battery", "base64"), stored)).toBe(true)
        expect(yield* passwords.verify("correct horse battery", stored, commandAsker)).toBe(true)
        expect(yield* passwords.verify("correct horse batterz", stored, commandAsker)).toBe(false)
        expect(yield* passwords.hash("correct horse battery", commandAsker)).not.toBe(stored)
      }),
    ),
  )

  it.live("all characters of a password count, also those after bcrypt's 72 bytes or a zero byte", () =>
    withPasswords(
      Effect.gen(function* () {
        const passwords = yield* Passwords
        const long = "x".repeat(limits.passwordLengthMax)
        const pairs = [
          ["x".repeat(72), `${"x".repeat(72)}y`],
          [long, `${long.slice(0, -1)}y`],
          ["correct\0horse", "correct\0house"],
          ["correct horse", "correct horse "],
        ] as const
        for (const [one, other] of pairs) {
          const stored = hashForThread(one)
          expect(yield* passwords.verify(one, stored, commandAsker)).toBe(true)
          expect(yield* passwords.verify(other, stored, commandAsker)).toBe(false)
        }
      }),
    ),
  )

  it.live("a password may be in any script", () =>
    withPasswords(
      Effect.gen(function* () {
        const passwords = yield* Passwords
        const words = ["maçã-coração-ção", "пароль пароль", "密码密码密码密码密码密码", "👩‍🚀🐎🔋📎👩‍🚀🐎"]
        for (const [i, word] of words.entries()) {
          const stored = hashForThread(word)
          expect(yield* passwords.verify(word, stored, commandAsker)).toBe(true)
          expect(yield* passwords.verify(words[(i + 1) % words.length] ?? "", stored, commandAsker)).toBe(
            false,
          )
        }
      }),
    ),
  )

  it.live("the password of an unknown user never verifies", () =>
    withPasswords(
      Effect.gen(function* () {
        const passwords = yield* Passwords
        for (const password of ["", "correct horse battery"]) {
          expect(yield* passwords.verify(password, undefined, commandAsker)).toBe(false)
        }
      }),
    ),
  )
})

describe("the pool of passwords", () => {
  const threads = Math.max(1, Math.min(limits.passwordWorkersMax, availableParallelism() - 1))

  /** Begins a check at once: no check ends before the last has begun. */
  const begin = (passwords: Passwords["Service"], hashed: string | undefined) =>
    Effect.forkChild(Effect.flip(passwords.verify("correct horse battery", hashed, commandAsker)), {
      startImmediately: true,
    })

  for (const [whose, hashed] of [
    ["a known", hashForThread("another password")],
    ["an unknown", undefined],
  ] as const) {
    it.live(`a password pool that is full of checks of ${whose} user refuses one more`, () =>
      withPasswords(
        Effect.gen(function* () {
          const passwords = yield* Passwords
          const taken: Array<Effect.Success<ReturnType<typeof begin>>> = []
          for (let i = 0; i < threads + limits.passwordsWaitingMax; i++) {
            taken.push(yield* begin(passwords, hashed))
          }
          expect(taken.filter((fiber) => fiber.pollUnsafe() !== undefined)).toEqual([])
          for (const refused of [yield* begin(passwords, hashed), yield* begin(passwords, undefined)]) {
            const error = yield* Fiber.join(refused)
            expect(error).toMatchObject({
              code: "service_unavailable",
              retryAfterSeconds: expect.any(Number),
            })
          }
          // It needs no thread.
          expect(yield* passwords.verify("a", hashOf("a", cheapCostMax), commandAsker)).toBe(true)
          expect(yield* passwords.verify("b", hashOf("a", cheapCostMax), commandAsker)).toBe(false)
          yield* Fiber.interruptAll(taken)
          // An interrupted check holds no place.
          expect(
            yield* passwords.verify("another password", hashForThread("another password"), commandAsker),
          ).toBe(true)
        }),
      ),
    )
  }
})

describe("bcrypt", () => {
  it("bcrypt is in the file alone that threads run", () => {
    const users = sourcesOf(["schema", "actors", "src"]).filter((source) =>
      importsOf(source).includes("bcryptjs"),
    )
    expect(users.map(({ path }) => path)).toEqual(["src/accounts/users/passwordWorker.ts"])
    const owners = sourcesOf(["schema", "actors", "src"]).filter((source) =>
      importsOf(source).some((target) => target.endsWith("passwordWorker.ts")),
    )
    expect(owners.flatMap(({ text }) => text.match(/^import (?!type).*passwordWorker/gm) ?? [])).toEqual([])
  })
})
