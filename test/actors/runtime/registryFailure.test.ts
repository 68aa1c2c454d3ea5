import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestConsole } from "effect/testing"
import { ActorFailed } from "../../../actors/runtime/actor.ts"
import { pass, settle } from "../support/settle.ts"
import { answerTo, breakOn, busy, makeTalkers, promiseTo, say, work } from "./talkers.ts"

const idleMillis = 1_000
const failedOn = (key: string) => new ActorFailed({ actor: `talker ${key}` })

describe("an actor that breaks", () => {
  it.effect("a broken actor fails its open asks with ActorFailed, whether handled or still queued", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ batchMax: 1 })
      const handled = yield* Effect.forkChild(talkers.ask("a", promiseTo("handled")))
      yield* settle
      yield* talkers.tell("a", work("work", 10))
      yield* talkers.tell("a", breakOn("broken"))
      const waiting = yield* Effect.forkChild(talkers.ask("a", answerTo("waiting")))
      yield* pass(10)

      assert.deepStrictEqual(yield* Effect.flip(Fiber.join(handled)), failedOn("a"))
      assert.deepStrictEqual(yield* Effect.flip(Fiber.join(waiting)), failedOn("a"))
      assert.strictEqual(talkers.size(), 0)
      assert.deepStrictEqual(talkers.ends, ["a"])
    }),
  )

  it.effect("an answer given before the actor breaks still arrives", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers()
      yield* talkers.tell("a", work("work", 10))
      yield* settle
      const answered = yield* Effect.forkChild(talkers.ask("a", answerTo("given")))
      yield* settle
      yield* talkers.tell("a", breakOn("broken"))
      yield* pass(10)

      assert.strictEqual(yield* Fiber.join(answered), "given")
    }),
  )

  it.effect("a broken actor starts anew with the next message", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers()
      yield* talkers.tell("a", breakOn("broken"))
      yield* settle
      assert.strictEqual(yield* talkers.ask("a", answerTo("anew")), "anew")

      assert.deepStrictEqual(talkers.batches, [
        { key: "a", life: 1, texts: ["broken"] },
        { key: "a", life: 2, texts: ["anew"] },
      ])
    }),
  )

  it.effect("a broken actor leaves other actors alone", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers()
      const other = yield* Effect.forkChild(talkers.ask("b", promiseTo("b")))
      yield* settle
      yield* talkers.tell("a", breakOn("broken"))
      yield* settle

      assert.isUndefined(other.pollUnsafe())
      assert.deepStrictEqual(talkers.starts, ["b", "a"])
      assert.strictEqual(talkers.size(), 1)
    }),
  )

  it.effect("a broken actor starts anew with a message that comes while its scope still closes", () =>
    Effect.gen(function* () {
      const lives: Array<string> = []
      const talkers = yield* makeTalkers({
        start: () =>
          Effect.gen(function* () {
            const life = lives.push("started")
            if (life === 1) yield* Effect.addFinalizer(() => Effect.sleep(100))
            return (batch) =>
              Effect.forEach(batch, ({ kind, text }) =>
                kind === "break" ? Effect.die(new Error(text)) : Effect.sync(() => lives.push(text)),
              )
          }),
      })
      yield* talkers.tell("a", breakOn("broken"))
      yield* settle
      yield* talkers.tell("a", say("meanwhile"))
      yield* settle

      assert.deepStrictEqual(lives, ["started", "started", "meanwhile"])
      yield* pass(100)
      assert.strictEqual(talkers.size(), 1)
    }),
  )

  it.effect("a broken actor that starts anew is no longer marked busy", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ idleMillis })
      yield* talkers.tell("a", busy(true))
      yield* talkers.tell("a", breakOn("broken"))
      yield* settle
      yield* talkers.tell("a", say("anew"))
      yield* pass(idleMillis)

      assert.strictEqual(talkers.size(), 0)
    }),
  )
})

describe("an actor that cannot start", () => {
  it.effect("a failed start fails the waiting asks with ActorFailed; the next message tries again", () =>
    Effect.gen(function* () {
      let isAble = false
      const talkers = yield* makeTalkers({
        start: (key) =>
          isAble
            ? Effect.succeed((batch) =>
                Effect.forEach(batch, (word) =>
                  word.kind === "answer" ? Deferred.succeed(word.reply, `${key}: ${word.text}`) : Effect.void,
                ),
              )
            : Effect.andThen(Effect.sleep(10), Effect.fail("no start" as const)),
      })
      const askers = yield* Effect.forEach(["one", "two"], (text) =>
        Effect.forkChild(talkers.ask("a", answerTo(text))),
      )
      yield* pass(10)
      for (const asker of askers) assert.deepStrictEqual(yield* Effect.flip(Fiber.join(asker)), failedOn("a"))
      assert.strictEqual(talkers.size(), 0)
      isAble = true

      assert.strictEqual(yield* talkers.ask("a", answerTo("three")), "a: three")
    }),
  )

  it.effect("a defect in an actor's start fails the ask with ActorFailed", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ start: () => Effect.die(new Error("broken start")) })

      assert.deepStrictEqual(yield* Effect.flip(talkers.ask("a", answerTo("one"))), failedOn("a"))
      assert.strictEqual(talkers.size(), 0)
    }),
  )

  it.effect("an actor that has not finished starting takes no more messages than its mailbox holds", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ mailboxCapacity: 2, start: () => Effect.never })
      yield* talkers.tell("a", say("one"))
      yield* settle
      yield* talkers.tell("a", say("two"))

      assert.strictEqual((yield* Effect.flip(talkers.tell("a", say("three"))))._tag, "MailboxFull")
    }),
  )
})

describe("the end of the registry's scope", () => {
  const inScope = Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const talkers = yield* Scope.provide(makeTalkers(), scope)
    return { talkers, close: Scope.close(scope, Exit.void) }
  })

  it.effect("closing the registry's scope ends every actor and fails the waiting asks", () =>
    Effect.gen(function* () {
      const { talkers, close } = yield* inScope
      const working = yield* Effect.forkChild(talkers.ask("a", promiseTo("a")))
      yield* settle
      yield* talkers.tell("a", work("work", 60_000))
      const waiting = yield* Effect.forkChild(talkers.ask("a", answerTo("waiting")))
      yield* talkers.tell("b", say("b"))
      yield* settle
      yield* close

      assert.deepStrictEqual(yield* Effect.flip(Fiber.join(working)), failedOn("a"))
      assert.deepStrictEqual(yield* Effect.flip(Fiber.join(waiting)), failedOn("a"))
      assert.deepStrictEqual([...talkers.ends].sort(), ["a", "b"])
      assert.strictEqual(talkers.size(), 0)
    }),
  )

  it.effect("closing the registry's scope fails an ask whose actor has not run yet", () =>
    Effect.gen(function* () {
      const { talkers, close } = yield* inScope
      const asker = yield* Effect.forkChild(talkers.ask("a", answerTo("never")), { startImmediately: true })
      assert.strictEqual(talkers.size(), 1)
      yield* close

      assert.deepStrictEqual(yield* Effect.flip(Fiber.join(asker)), failedOn("a"))
      assert.strictEqual(talkers.size(), 0)
    }),
  )

  it.effect("a registry whose scope is closed fails asks and starts no actor", () =>
    Effect.gen(function* () {
      const { talkers, close } = yield* inScope
      yield* close
      const exit = yield* talkers.ask("a", answerTo("too late")).pipe(Effect.exit)
      yield* talkers.tell("b", say("too late"))
      yield* settle

      assert.deepStrictEqual(exit, Exit.fail(failedOn("a")))
      assert.deepStrictEqual(talkers.starts, [])
      assert.strictEqual(talkers.size(), 0)
    }),
  )
})

describe("a broken actor's log", () => {
  it.effect("a broken actor is logged with its name and reason; one that leaves is not logged", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ idleMillis })
      yield* talkers.tell("a", breakOn("the reason"))
      yield* settle
      yield* talkers.tell("b", say("b"))
      yield* pass(idleMillis)
      const log = (yield* TestConsole.logLines).join("\n")

      assert.include(log, "talker a failed; the next message restarts it")
      assert.include(log, "the reason")
      assert.notInclude(log, "talker b")
    }),
  )
})
