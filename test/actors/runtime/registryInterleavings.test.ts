import { Cause, Effect, Exit, Fiber } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sizes } from "../../support/sizes.ts"
import { pass, settle } from "../support/settle.ts"
import { answerTo, breakOn, busy, makeTalkers, say, type Word, work } from "./talkers.ts"

const idleMillis = 50
const limits = { mailboxCapacity: 3, batchMax: 2, idleMillis }
const stepsMax = 40
const workMillisMax = 120
/** Longer than all work of a script, one piece after another. */
const restMillis = stepsMax * workMillisMax + 2 * idleMillis

/** One step of a script; actors and asks are numbered. */
type Step =
  | {
      readonly kind: "tell"
      readonly key: number
      readonly word: "say" | "work" | "break"
      readonly millis: number
    }
  | { readonly kind: "ask"; readonly key: number }
  | { readonly kind: "giveUp"; readonly ask: number }
  | { readonly kind: "busy"; readonly key: number; readonly isBusy: boolean }
  | { readonly kind: "pass"; readonly millis: number }
  | { readonly kind: "settle" }

const key = fc.nat({ max: 1 })
/** Around the idle time, so that messages and departures meet. */
const millis = fc.oneof(
  fc.constantFrom(1, idleMillis - 1, idleMillis, idleMillis + 1),
  fc.nat({ max: workMillisMax }),
)
const steps = (words: ReadonlyArray<"say" | "work" | "break">): fc.Arbitrary<Array<Step>> =>
  fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant("tell"), key, word: fc.constantFrom(...words), millis }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("ask"), key }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("giveUp"), ask: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("busy"), key, isBusy: fc.boolean() }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("pass"), millis }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("settle") }) },
    ),
    { maxLength: stepsMax },
  ) as fc.Arbitrary<Array<Step>>

interface Accepted {
  readonly text: string
  readonly isBreak: boolean
}

/** Runs the steps on fresh actors until everything has ended; the actors, how each ask ended, what was accepted. */
const run = (script: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const talkers = yield* makeTalkers(limits)
    const accepted = new Map<string, Array<Accepted>>([
      ["0", []],
      ["1", []],
    ])
    const asks: Array<{
      readonly key: string
      readonly text: string
      readonly fiber: Fiber.Fiber<string, { readonly _tag: string }>
    }> = []
    const refused = new Set<string>()
    let count = 0

    const accept = (at: string, word: Word) =>
      accepted.get(at)?.push({ text: word.text, isBreak: word.kind === "break" })
    const tell = (at: string, word: Word) =>
      talkers.tell(at, word).pipe(
        Effect.tap(() => Effect.sync(() => accept(at, word))),
        Effect.ignore,
      )
    const doStep = (step: Step): Effect.Effect<unknown> => {
      const text = `${step.kind} ${++count}`
      switch (step.kind) {
        case "tell": {
          const words = { say: say(text), work: work(text, step.millis), break: breakOn(text) }
          return tell(String(step.key), words[step.word])
        }
        case "busy":
          return tell(String(step.key), { ...busy(step.isBusy), text })
        case "ask":
          return Effect.gen(function* () {
            const at = String(step.key)
            const asking = talkers.ask<string, never>(at, (reply) => {
              const word = answerTo(text)(reply)
              accept(at, word)
              return word
            })
            const watched = Effect.tapError(asking, (error) =>
              Effect.sync(() => {
                if (error._tag === "MailboxFull") refused.add(text)
              }),
            )
            asks.push({ key: at, text, fiber: yield* Effect.forkChild(watched, { startImmediately: true }) })
          })
        case "giveUp": {
          const given = asks[step.ask % Math.max(1, asks.length)]
          return given === undefined ? Effect.void : Fiber.interrupt(given.fiber)
        }
        case "pass":
          return pass(step.millis)
        case "settle":
          return settle
      }
    }

    yield* Effect.forEach(script, doStep, { discard: true })
    // Whoever is still marked busy is released, and all have time to work and to leave.
    yield* pass(restMillis)
    for (const at of accepted.keys()) yield* tell(at, busy(false))
    yield* pass(restMillis)
    const exits = yield* Effect.forEach(asks, (ask) =>
      Effect.sync(() => ({ ...ask, exit: ask.fiber.pollUnsafe() })),
    )
    return {
      talkers,
      exits,
      accepted: new Map(
        [...accepted].map(([at, words]) => [at, words.filter(({ text }) => !refused.has(text))]),
      ),
    }
  }).pipe(Effect.scoped, Effect.provide([TestClock.layer(), TestConsole.layer]), Effect.runPromise)

type Ran = Awaited<ReturnType<typeof run>>

/** Asserts what every run must satisfy, whether or not an actor broke. */
const expectSound = ({ talkers, exits, accepted }: Ran) => {
  for (const [at, words] of accepted) {
    const heard = talkers.heard(at)
    const place = new Map(words.map(({ text }, index) => [text, index]))
    const places = heard.map((text) => place.get(text) ?? -1)
    // In order, each once, and nothing that was refused.
    expect(places).toEqual([...new Set(places)].sort((left, right) => left - right))
    expect(places).not.toContain(-1)
    // A message that was not heard came after one that broke the actor.
    const firstBreak = words.findIndex(({ text, isBreak }) => isBreak && heard.includes(text))
    const firstLost = words.findIndex(({ text }) => !heard.includes(text))
    if (firstLost >= 0) {
      expect(firstBreak).toBeGreaterThanOrEqual(0)
      expect(firstLost).toBeGreaterThan(firstBreak)
    }
  }
  for (const { texts } of talkers.batches) {
    expect(texts.length).toBeGreaterThanOrEqual(1)
    expect(texts.length).toBeLessThanOrEqual(limits.batchMax)
  }
  for (const { key: at, text, exit } of exits) {
    expect(exit, "every ask ends").toBeDefined()
    if (exit === undefined) continue
    if (Exit.isSuccess(exit)) {
      expect(exit.value).toBe(text)
      expect(talkers.heard(at)).toContain(text)
    } else if (!Cause.hasInterrupts(exit.cause)) {
      const error = Cause.squash(exit.cause) as { readonly _tag: string }
      expect(["MailboxFull", "ActorFailed"]).toContain(error._tag)
      if (error._tag === "ActorFailed") {
        expect((accepted.get(at) ?? []).some(({ isBreak }) => isBreak)).toBe(true)
      }
    }
  }
  expect(talkers.size()).toBe(0)
  expect(talkers.ends.length).toBe(talkers.starts.length)
}

describe("random interleavings", () => {
  it("an actor that does not break loses no message, keeps their order and answers every ask", async () => {
    await fc.assert(
      fc.asyncProperty(steps(["say", "work"]), async (script) => {
        const ran = await run(script)
        expectSound(ran)
        for (const [at, words] of ran.accepted)
          expect(ran.talkers.heard(at)).toEqual(words.map(({ text }) => text))
      }),
      { numRuns: sizes.interleavings },
    )
  })

  it("an actor that breaks loses only messages behind the break, and every ask ends", async () => {
    await fc.assert(
      fc.asyncProperty(steps(["say", "work", "break"]), async (script) => expectSound(await run(script))),
      { numRuns: sizes.interleavings },
    )
  })
})
