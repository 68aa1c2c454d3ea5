import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { commandAsker } from "../../../src/accounts/users/fairWaitingRoom.ts"
import { PasswordCost, Passwords, PasswordsLive } from "../../../src/accounts/users/passwords.ts"

it("passwords are checked in the order of the requests, however many come after", async () => {
  const program = Effect.gen(function* () {
    const { verify } = yield* Passwords
    const begun: Array<string> = []
    const ended: Array<string> = []
    const check = (name: string) =>
      Effect.andThen(
        Effect.suspend(() => {
          begun.push(name)
          return verify(name, undefined, commandAsker)
        }),
        Effect.sync(() => ended.push(name)),
      ).pipe(
        // A machine that takes seconds for a password has fewer places for those that wait.
        Effect.catch(() => Effect.sync(() => begun.splice(begun.indexOf(name), 1))),
      )
    // Each caller asks again as soon as it is answered, behind all that wait.
    const callers = Array.from({ length: 6 }, (_, caller) =>
      Effect.andThen(check(`first ${caller}`), check(`second ${caller}`)),
    )
    yield* Effect.all(callers, { concurrency: "unbounded" })
    return { begun, ended }
  })
  // A check takes a few hundredths of a second: long beside what else happens to it, and short beside the service's own.
  const layer = PasswordsLive.pipe(Layer.provide(Layer.succeed(PasswordCost, 8)))
  const { begun, ended } = await Effect.runPromise(Effect.provide(program, layer))
  expect(ended.length).toBeGreaterThan(2)
  // With two threads, two checks at a time may end in either order.
  for (const [index, name] of ended.entries()) {
    expect(Math.abs(begun.indexOf(name) - index), ended.join(", ")).toBeLessThanOrEqual(1)
  }
})
