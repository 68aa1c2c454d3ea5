import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { ActorFailed } from "../../../actors/runtime/actor.ts"
import { callerLeft } from "../../../actors/runtime/callerLeft.ts"
import { pass, settle } from "../support/settle.ts"
import { answerTo, makeTalkers, say, work } from "./talkers.ts"

describe("a message whose asker is gone", () => {
  it.effect("a message whose asker is gone is skipped, and the ones around it are handled", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ mailboxCapacity: 100, batchMax: 10 })
      yield* talkers.tell("a", work("work", 10))
      yield* settle
      const ask = (text: string) =>
        Effect.forkChild(talkers.ask("a", answerTo(text)), { startImmediately: true })
      const [first, second, third] = [yield* ask("first"), yield* ask("second"), yield* ask("third")]
      yield* talkers.tell("a", say("told"))
      callerLeft(second)
      yield* pass(10)

      assert.deepStrictEqual(talkers.heard("a"), ["work", "first", "third", "told"])
      assert.strictEqual(yield* Fiber.join(first), "first")
      assert.strictEqual(yield* Fiber.join(third), "third")
      assert.deepStrictEqual(yield* Fiber.await(second), Exit.fail(new ActorFailed({ actor: "talker a" })))
    }),
  )

  it.effect("an actor keeps running when the only message in its batch is skipped", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers()
      yield* talkers.tell("a", work("work", 10))
      yield* settle
      const asked = yield* Effect.forkChild(talkers.ask("a", answerTo("only")), { startImmediately: true })
      callerLeft(asked)
      yield* pass(10)

      assert.deepStrictEqual(talkers.heard("a"), ["work"])
      assert.strictEqual(yield* talkers.ask("a", answerTo("next")), "next")
      assert.deepStrictEqual(talkers.starts, ["a"])
    }),
  )

  it.effect("a message that has begun is answered although its asker is gone", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers()
      const asked = yield* Effect.forkChild(talkers.ask("a", answerTo("begun")), { startImmediately: true })
      yield* settle
      callerLeft(asked)

      assert.strictEqual(yield* Fiber.join(asked), "begun")
    }),
  )
})
