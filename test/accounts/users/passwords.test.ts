import { hash } from "node:crypto"
import { availableParallelism } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { compareSync, getRounds, hashSync } from "bcryptjs"
import { Effect, Fiber } from "effect"
import { limits } from "../../../schema/limits.ts"
import { commandAsker } from "../../../src/accounts/users/askers.ts"
import { Passwords, PasswordsLive } from "../../../src/accounts/users/passwords.ts"
import { importsOf, sourcesOf } from "../../layout/sources.ts"

/** A pool of its own for a test, ended with it. */
const withPasswords = <A, E>(program: Effect.Effect<A, E, Passwords>) =>
  Effect.scoped(Effect.provide(program, PasswordsLive))

/** Hashes of a low cost are compared alike, and fast. */
const cheapHash = (password: string) => hashSync(hash("sha256", password, "base64"), 4)

describe("a password", () => {
  it.live("is stored as bcrypt of cost 12 over its SHA-256 in base64, and is known again", () =>
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

  it.live("counts with all its characters: bcrypt alone ends at 72 bytes, or at a zero", () =>
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
          const stored = cheapHash(one)
          expect(yield* passwords.verify(one, stored, commandAsker)).toBe(true)
          expect(yield* passwords.verify(other, stored, commandAsker)).toBe(false)
        }
      }),
    ),
  )

  it.live("may be of any script", () =>
    withPasswords(
      Effect.gen(function* () {
        const passwords = yield* Passwords
        const words = ["maçã-coração-ção", "пароль пароль", "密码密码密码密码密码密码", "👩‍🚀🐎🔋📎👩‍🚀🐎"]
        for (const [i, word] of words.entries()) {
          const stored = cheapHash(word)
          expect(yield* passwords.verify(word, stored, commandAsker)).toBe(true)
          expect(yield* passwords.verify(words[(i + 1) % words.length] ?? "", stored, commandAsker)).toBe(
            false,
          )
        }
      }),
    ),
  )

  it.live("of an unknown user is false, whatever it is", () =>
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

  /** All begin at once: nothing ends before the last has begun. */
  const begin = (passwords: Passwords["Service"], hashed: string | undefined) =>
    Effect.forkChild(Effect.flip(passwords.verify("correct horse battery", hashed, commandAsker)), {
      startImmediately: true,
    })

  for (const [whose, hashed] of [
    ["a known", cheapHash("another password")],
    ["an unknown", undefined],
  ] as const) {
    it.live(`has a place for each of ${whose} user's, and refuses the one that is too many`, () =>
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
          yield* Fiber.interruptAll(taken)
          // Whoever has gone away holds no place.
          expect(
            yield* passwords.verify("another password", cheapHash("another password"), commandAsker),
          ).toBe(true)
        }),
      ),
    )
  }
})

describe("bcrypt", () => {
  it("runs in the pool's threads alone", () => {
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
