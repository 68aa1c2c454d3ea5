import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber } from "effect"
import type { ActorSelf } from "../../../actors/runtime/actor.ts"
import { pass, settle } from "../support/settle.ts"
import { answerTo, busy, makeTalkers, promiseTo, type Reply, say, type Word, work } from "./talkers.ts"

const idleMillis = 1_000

describe("an idle actor", () => {
  it.effect("an idle actor leaves memory after its idle time, not before, and its scope closes", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ idleMillis })
      yield* talkers.tell("a", say("hello"))
      yield* pass(idleMillis - 1)
      assert.deepStrictEqual([talkers.size(), talkers.ends], [1, []])
      yield* pass(1)

      assert.deepStrictEqual([talkers.size(), talkers.ends], [0, ["a"]])
    }),
  )

  it.effect("an actor's idle time counts from its last message", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ idleMillis })
      yield* talkers.tell("a", say("one"))
      yield* pass(idleMillis - 1)
      yield* talkers.tell("a", say("two"))
      yield* pass(idleMillis - 1)
      assert.strictEqual(talkers.size(), 1)
      yield* pass(1)

      assert.strictEqual(talkers.size(), 0)
    }),
  )

  it.effect("each actor leaves at its own time, whichever others stay", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ idleMillis })
      for (const key of ["a", "b", "c"]) {
        yield* talkers.tell(key, say("hello"))
        yield* pass(100)
      }
      yield* talkers.tell("b", say("once more"))
      const atMillis: Array<readonly [string, number]> = []
      for (let millis = 300; millis < 2_000; millis += 100) {
        const gone = talkers.ends.length
        yield* pass(100)
        for (const key of talkers.ends.slice(gone)) atMillis.push([key, millis + 100])
      }

      assert.deepStrictEqual(atMillis, [
        ["a", 1_000],
        ["c", 1_200],
        ["b", 1_300],
      ])
    }),
  )

  it.effect("an idle actor leaves although the machine's clock is set back by days", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let aheadMillis = 1_000_000_000
      // Only the time read from it moves; sleeps take as long as ever.
      const machine: Clock.Clock = Object.create(clock, {
        currentTimeMillisUnsafe: { value: () => clock.currentTimeMillisUnsafe() + aheadMillis },
      })
      const talkers = yield* Effect.provideService(makeTalkers({ idleMillis }), Clock.Clock, machine)
      yield* talkers.tell("a", say("hello"))
      yield* settle
      aheadMillis = 0
      yield* pass(2 * idleMillis)

      assert.strictEqual(talkers.size(), 0)
    }),
  )

  it.effect("an actor that has left starts anew with the next message", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ idleMillis })
      yield* talkers.tell("a", say("one"))
      yield* pass(idleMillis)
      yield* talkers.tell("a", say("two"))
      yield* settle

      assert.deepStrictEqual(talkers.starts, ["a", "a"])
      assert.deepStrictEqual(talkers.batches.at(-1), { key: "a", life: 2, texts: ["two"] })
    }),
  )

  it.effect("a busy actor stays, and leaves one idle time after it is no longer busy", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ idleMillis })
      yield* talkers.tell("a", busy(true))
      yield* pass(10 * idleMillis)
      assert.strictEqual(talkers.size(), 1)
      yield* talkers.tell("a", busy(false))
      yield* pass(idleMillis - 1)
      assert.strictEqual(talkers.size(), 1)
      yield* pass(1)

      assert.strictEqual(talkers.size(), 0)
      assert.deepStrictEqual(talkers.starts, ["a"])
    }),
  )

  it.effect("an actor stays while it handles a message that takes longer than its idle time", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ idleMillis })
      yield* talkers.tell("a", work("long", 5 * idleMillis))
      yield* pass(5 * idleMillis - 1)
      assert.strictEqual(talkers.size(), 1)
      yield* talkers.tell("a", say("after"))
      yield* pass(1)

      assert.deepStrictEqual(talkers.heard("a"), ["long", "after"])
      assert.deepStrictEqual(talkers.starts, ["a"])
    }),
  )

  it.effect("an actor stays while it owes an answer, and leaves after it has given it", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ idleMillis })
      let owed: Reply | undefined
      const asker = yield* Effect.forkChild(
        talkers.ask<string, never>("a", (reply): Word => {
          owed = reply
          return promiseTo("owed")(reply)
        }),
      )
      yield* pass(10 * idleMillis)
      assert.strictEqual(talkers.size(), 1)
      if (owed !== undefined) yield* Deferred.succeed(owed, "late")
      assert.strictEqual(yield* Fiber.join(asker), "late")
      yield* pass(idleMillis)

      assert.strictEqual(talkers.size(), 0)
    }),
  )
})

describe("a program that an actor runs beside its mailbox", () => {
  const started = (
    log: Array<string>,
    talkers: { readonly selves: ReadonlyMap<string, ActorSelf<Word>> },
  ) => {
    const program = Effect.andThen(
      Effect.sleep(500),
      Effect.sync(() => log.push("done")),
    ).pipe(Effect.onInterrupt(() => Effect.sync(() => log.push("interrupted"))))
    return talkers.selves.get("a")?.run(program) ?? Effect.die("the actor has not started")
  }

  it.effect("a program that an actor runs beside its mailbox holds up neither the actor nor its caller", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const talkers = yield* makeTalkers({ idleMillis })
      yield* talkers.tell("a", say("hello"))
      yield* settle
      yield* started(log, talkers)
      assert.strictEqual(yield* talkers.ask("a", answerTo("meanwhile")), "meanwhile")
      assert.deepStrictEqual(log, [])
      yield* pass(500)

      assert.deepStrictEqual(log, ["done"])
    }),
  )

  it.effect("a program that an actor runs beside its mailbox is interrupted when the actor leaves", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const talkers = yield* makeTalkers({ idleMillis: 400 })
      yield* talkers.tell("a", say("hello"))
      yield* settle
      yield* started(log, talkers)
      yield* pass(400)

      assert.deepStrictEqual([talkers.size(), log], [0, ["interrupted"]])
    }),
  )
})

describe("a message at the moment an actor leaves", () => {
  /** Sends a message after `millis`, as another fiber of the process would. */
  const tellAt = (millis: number, tell: Effect.Effect<unknown, unknown>) =>
    Effect.forkChild(Effect.andThen(Effect.sleep(millis), tell))

  for (const [when, isFirst] of [
    ["just before", true],
    ["just after", false],
  ] as const) {
    it.effect(`a message that comes ${when} an actor leaves is not lost`, () =>
      Effect.gen(function* () {
        const talkers = yield* makeTalkers({ idleMillis })
        const late = talkers.ask("a", answerTo("late"))
        const half = idleMillis / 2
        yield* pass(half)
        yield* talkers.tell("a", say("first"))
        // Sleeps that end at the same time end in the order in which they began; the registry's last begins half way.
        if (isFirst) yield* tellAt(idleMillis, late)
        yield* pass(half)
        if (!isFirst) yield* tellAt(half, late)
        yield* pass(half)

        assert.deepStrictEqual(talkers.heard("a"), ["first", "late"])
        assert.deepStrictEqual(talkers.starts.length, isFirst ? 1 : 2)
      }),
    )
  }

  it.effect("a message is handled by a new actor while the scope of the one that left still closes", () =>
    Effect.gen(function* () {
      const starts: Array<string> = []
      const talkers = yield* makeTalkers({
        idleMillis,
        start: (key) =>
          Effect.gen(function* () {
            starts.push(key)
            if (starts.length === 1) yield* Effect.addFinalizer(() => Effect.sleep(100))
            return (batch) =>
              Effect.forEach(batch, (word) =>
                word.kind === "answer" ? Deferred.succeed(word.reply, word.text) : Effect.void,
              )
          }),
      })
      yield* talkers.tell("a", say("first"))
      yield* pass(idleMillis)
      assert.strictEqual(yield* talkers.ask("a", answerTo("second")), "second")
      // The end of the first actor must not remove the second.
      yield* pass(100)

      assert.strictEqual(talkers.size(), 1)
      assert.deepStrictEqual(starts, ["a", "a"])
    }),
  )
})
