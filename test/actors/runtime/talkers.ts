import { Deferred, Effect } from "effect"
import type { ActorFailed, ActorSelf } from "../../../actors/runtime/actor.ts"
import { type ActorKind, makeRegistry } from "../../../actors/runtime/registry.ts"

/** Messages that the actors of these tests accept. */
export type Word =
  | { readonly kind: "say"; readonly text: string }
  /** Takes `millis` to handle. */
  | { readonly kind: "work"; readonly text: string; readonly millis: number }
  | { readonly kind: "break"; readonly text: string }
  | { readonly kind: "answer"; readonly text: string; readonly reply: Reply }
  /** Answered later, by the test itself. */
  | { readonly kind: "promise"; readonly text: string; readonly reply: Reply }
  | { readonly kind: "busy"; readonly text: string; readonly isBusy: boolean }
export type Reply = Deferred.Deferred<string, ActorFailed>

export const say = (text: string): Word => ({ kind: "say", text })
export const work = (text: string, millis: number): Word => ({ kind: "work", text, millis })
export const breakOn = (text: string): Word => ({ kind: "break", text })
export const busy = (isBusy: boolean): Word => ({ kind: "busy", text: `busy ${isBusy}`, isBusy })
export const answerTo =
  (text: string) =>
  (reply: Reply): Word => ({ kind: "answer", text, reply })
export const promiseTo =
  (text: string) =>
  (reply: Reply): Word => ({ kind: "promise", text, reply })

type Kind = ActorKind<Word, "no start">

/** Actors that record their starts, their ends and every batch they get. */
export const makeTalkers = (overrides: Partial<Kind> = {}) =>
  Effect.gen(function* () {
    const batches: Array<{
      readonly key: string
      readonly life: number
      readonly texts: ReadonlyArray<string>
    }> = []
    const starts: Array<string> = []
    const ends: Array<string> = []
    const selves = new Map<string, ActorSelf<Word>>()

    const handle = (word: Word, self: ActorSelf<Word>): Effect.Effect<unknown> => {
      switch (word.kind) {
        case "work":
          return Effect.sleep(word.millis)
        case "break":
          return Effect.die(new Error(word.text))
        case "answer":
          return Deferred.succeed(word.reply, word.text)
        case "busy":
          return Effect.sync(() => self.setBusy(word.isBusy))
        default:
          return Effect.void
      }
    }

    const registry = yield* makeRegistry<Word, "no start">({
      name: "talker",
      mailboxCapacity: 4,
      batchMax: 3,
      idleMillis: 1_000,
      start: (key, self) =>
        Effect.gen(function* () {
          starts.push(key)
          selves.set(key, self)
          const life = starts.filter((started) => started === key).length
          yield* Effect.addFinalizer(() => Effect.sync(() => ends.push(key)))
          return (batch) => {
            batches.push({ key, life, texts: batch.map((word) => word.text) })
            return Effect.forEach(batch, (word) => handle(word, self), { discard: true })
          }
        }),
      ...overrides,
    })
    return {
      ...registry,
      batches,
      starts,
      ends,
      selves,
      /** Every message that an actor got, in order. */
      heard: (key: string) => batches.filter((batch) => batch.key === key).flatMap(({ texts }) => texts),
    }
  })
