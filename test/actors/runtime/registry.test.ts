import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Tracer } from "effect"
import type { ActorFailed } from "../../../actors/runtime/actor.ts"
import { MailboxFull, makeRegistry } from "../../../actors/runtime/registry.ts"
import { pass, settle } from "../support/settle.ts"
import { answerTo, makeTalkers, promiseTo, say, work } from "./talkers.ts"

const range = (count: number) => Array.from({ length: count }, (_, index) => String(index))

describe("an actor's messages", () => {
  it.effect("an actor handles its messages in the order in which they were sent", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ mailboxCapacity: 100 })
      yield* Effect.forEach(range(50), (text) => talkers.tell("a", say(text)))
      yield* settle
      yield* Effect.forEach(range(50), (text) => talkers.tell("a", say(text)))
      yield* settle

      assert.deepStrictEqual(talkers.heard("a"), [...range(50), ...range(50)])
      assert.deepStrictEqual(talkers.starts, ["a"])
    }),
  )

  it.effect("messages that gather while an actor works come in batches of at most batchMax", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ mailboxCapacity: 100, batchMax: 3 })
      yield* talkers.tell("a", work("work", 10))
      yield* settle
      yield* Effect.forEach(range(7), (text) => talkers.tell("a", say(text)))
      yield* settle
      assert.deepStrictEqual(talkers.heard("a"), ["work"])
      yield* pass(10)

      assert.deepStrictEqual(
        talkers.batches.map(({ texts }) => texts),
        [["work"], ["0", "1", "2"], ["3", "4", "5"], ["6"]],
      )
    }),
  )

  it.effect("an actor answers while another one is working", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers()
      yield* talkers.tell("slow", work("work", 60_000))
      yield* settle

      assert.strictEqual(yield* talkers.ask("quick", answerTo("here")), "here")
    }),
  )

  it.effect("an actor's next batch begins when the one before has ended", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers()
      yield* talkers.tell("a", work("first", 100))
      yield* settle
      yield* talkers.tell("a", work("second", 100))
      yield* pass(99)
      assert.deepStrictEqual(talkers.heard("a"), ["first"])
      yield* pass(1)

      assert.deepStrictEqual(talkers.heard("a"), ["first", "second"])
    }),
  )

  it.effect("an actor can send itself messages while its mailbox has room", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ mailboxCapacity: 2 })
      yield* talkers.tell("a", work("work", 10))
      yield* settle
      const self = talkers.selves.get("a")

      assert.deepStrictEqual(
        range(3).map((text) => self?.tell(say(text))),
        [true, true, false],
      )
      yield* pass(10)
      assert.deepStrictEqual(talkers.heard("a"), ["work", "0", "1"])
    }),
  )
})

describe("a mailbox", () => {
  const capacity = 4

  it.effect("a full mailbox refuses the next tell and ask with MailboxFull, which names the actor", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ mailboxCapacity: capacity })
      yield* talkers.tell("a", work("work", 10))
      yield* settle
      yield* Effect.forEach(range(capacity), (text) => talkers.tell("a", say(text)))

      const full = new MailboxFull({ actor: "talker a" })
      assert.deepStrictEqual(yield* Effect.flip(talkers.tell("a", say("one past"))), full)
      assert.deepStrictEqual(yield* Effect.flip(talkers.ask("a", answerTo("one past"))), full)
      yield* pass(10)
      assert.deepStrictEqual(talkers.heard("a"), ["work", ...range(capacity)])
    }),
  )

  it.effect("an actor's full mailbox does not stop messages to other actors", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ mailboxCapacity: capacity })
      yield* talkers.tell("a", work("work", 10))
      yield* settle
      yield* Effect.forEach(range(capacity), (text) => talkers.tell("a", say(text)))

      yield* Effect.forEach(range(capacity), (text) => talkers.tell("b", say(text)))
      yield* settle
      assert.deepStrictEqual(talkers.heard("b"), range(capacity))
    }),
  )

  it.effect("a full mailbox has room again as soon as its actor has taken messages", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ mailboxCapacity: capacity, batchMax: 1 })
      yield* talkers.tell("a", work("work", 10))
      yield* settle
      yield* Effect.forEach(range(capacity - 1), (text) => talkers.tell("a", say(text)))
      yield* talkers.tell("a", work("more work", 10))
      yield* pass(10)

      yield* Effect.forEach(range(capacity), (text) => talkers.tell("a", say(text)))
      assert.instanceOf(yield* Effect.flip(talkers.tell("a", say("one past"))), MailboxFull)
    }),
  )
})

describe("an ask", () => {
  it.effect("an ask returns the actor's answer", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers({ mailboxCapacity: 100 })
      const answers = yield* Effect.forEach(range(20), (text) => talkers.ask("a", answerTo(text)), {
        concurrency: "unbounded",
      })

      assert.deepStrictEqual(answers, range(20))
      assert.deepStrictEqual(talkers.heard("a"), range(20))
    }),
  )

  it.effect("an ask whose caller gives up is still handled and disturbs no other ask", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers()
      yield* talkers.tell("a", work("work", 10))
      yield* settle
      const asker = yield* Effect.forkChild(talkers.ask("a", answerTo("given up")))
      const patient = yield* Effect.forkChild(talkers.ask("a", answerTo("patient")))
      yield* settle
      yield* Fiber.interrupt(asker)
      yield* pass(10)

      assert.strictEqual(yield* Fiber.join(patient), "patient")
      assert.deepStrictEqual(talkers.heard("a"), ["work", "given up", "patient"])
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(asker)))
      assert.strictEqual(yield* talkers.ask("a", answerTo("still here")), "still here")
      assert.deepStrictEqual(talkers.starts, ["a"])
    }),
  )

  it.effect("an ask can be interrupted at once although the actor never answers", () =>
    Effect.gen(function* () {
      const talkers = yield* makeTalkers()
      const asker = yield* Effect.forkChild(talkers.ask("a", promiseTo("never")))
      yield* settle
      yield* Fiber.interrupt(asker)

      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(asker)))
    }),
  )
})

describe("actors of traced callers", () => {
  it.effect(
    "an actor that a traced caller starts is not in the caller's trace, which the message alone may carry on",
    () =>
      Effect.gen(function* () {
        const spans: Array<Tracer.AnySpan | undefined> = []
        const note = Effect.withFiber((fiber) => Effect.sync(() => spans.push(fiber.cache.span)))
        const registry = yield* makeRegistry<Deferred.Deferred<string, ActorFailed>, never>({
          ...{ name: "noter", mailboxCapacity: 4, batchMax: 3, idleMillis: 1_000 },
          start: () =>
            Effect.as(note, (batch) =>
              Effect.andThen(
                note,
                Effect.forEach(batch, (reply) => Deferred.succeed(reply, "noted")),
              ),
            ),
        })
        const asked = Effect.withFiber((own) =>
          registry.ask<string, never>("a", (reply, asker) => {
            assert.strictEqual(asker, own)
            return reply
          }),
        )
        assert.strictEqual(yield* Effect.withSpan(asked, "caller"), "noted")
        assert.deepStrictEqual(spans, [undefined, undefined])
      }),
  )
})

describe("thousands of actors", () => {
  it.effect("thousands of actors each get their own messages in order, and all leave when idle", () =>
    Effect.gen(function* () {
      const keys = range(3_000)
      const talkers = yield* makeTalkers()
      for (const text of ["one", "two", "three"]) {
        yield* Effect.forEach(keys, (key) => talkers.tell(key, say(text)), { discard: true })
      }
      yield* settle

      assert.strictEqual(talkers.size(), keys.length)
      const heard = new Map<string, Array<string>>()
      for (const { key, texts } of talkers.batches) heard.set(key, [...(heard.get(key) ?? []), ...texts])
      assert.strictEqual(heard.size, keys.length)
      for (const texts of heard.values()) assert.deepStrictEqual(texts, ["one", "two", "three"])
      yield* pass(1_000)
      assert.strictEqual(talkers.size(), 0)
      assert.strictEqual(talkers.ends.length, keys.length)
    }),
  )
})
