import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { NoteStore, type StoredNote } from "../../actors/ports/noteStore.ts"
import { limits } from "../../schema/limits.ts"
import { freshIdBeside, openPaidCharge, openShop } from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"

const noteOf = (chargeId: string, text = "Pediu a troca.\nÇé 🎁") =>
  Effect.map(
    freshIdBeside("note_", chargeId),
    (id): StoredNote => ({
      ...{ id, text, author: { id: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4", name: "Ana" } },
      created_at: "2026-11-21T12:00:00.000Z",
    }),
  )

const byNewest = (notes: ReadonlyArray<StoredNote>) =>
  notes.toSorted((one, other) => (one.id < other.id ? 1 : -1))

const whole: StoreCase = storeCase(
  "notes of a charge are listed newest first and whole, each once, and are those of that charge alone",
  Effect.gen(function* () {
    const store = yield* NoteStore
    const { test } = yield* openShop()
    const [charge, other] = [yield* openPaidCharge(test), yield* openPaidCharge(test)]
    assert.deepStrictEqual(yield* store.list(charge.id), [])
    const notes = [yield* noteOf(charge.id), yield* noteOf(charge.id, "b"), yield* noteOf(charge.id, "c")]
    for (const note of notes)
      assert.deepStrictEqual(yield* store.add(test, charge.id, note), { kind: "added" })
    const [first] = notes
    assert.isDefined(first)
    assert.deepStrictEqual(yield* store.add(test, charge.id, first), { kind: "added" }, "its reply was lost")
    assert.deepStrictEqual(yield* store.list(charge.id), byNewest(notes))
    assert.deepStrictEqual(yield* store.list(other.id), [])
    assert.deepStrictEqual(yield* store.remove(other.id, first.id), { kind: "missing" })
    assert.deepStrictEqual(yield* store.remove(charge.id, first.id), { kind: "removed" })
    assert.deepStrictEqual(yield* store.remove(charge.id, first.id), { kind: "missing" })
    assert.deepStrictEqual(yield* store.list(charge.id), byNewest(notes.slice(1)))
  }),
)

const strangers: StoreCase = storeCase(
  "nobody adds a note to a charge of another seller or mode, or to none",
  Effect.gen(function* () {
    const store = yield* NoteStore
    const { live, test } = yield* openShop()
    const { test: stranger } = yield* openShop()
    const charge = yield* openPaidCharge(test)
    const note = yield* noteOf(charge.id)
    for (const feed of [live, stranger]) {
      assert.deepStrictEqual(yield* store.add(feed, charge.id, note), { kind: "missing" })
    }
    const none = yield* freshIdBeside("txn_", charge.id)
    assert.deepStrictEqual(yield* store.add(test, none, note), { kind: "missing" })
    assert.deepStrictEqual(yield* store.list(charge.id), [])
    assert.deepStrictEqual(yield* store.list(none), [])
  }),
)

const bound: StoreCase = storeCase(
  "a charge has as many notes as the limit says, and one more once another is deleted",
  Effect.gen(function* () {
    const store = yield* NoteStore
    const { test } = yield* openShop()
    const charge = yield* openPaidCharge(test)
    const notes = yield* Effect.forEach(Array.from({ length: limits.notesPerChargeMax }), () =>
      noteOf(charge.id),
    )
    for (const note of notes)
      assert.deepStrictEqual(yield* store.add(test, charge.id, note), { kind: "added" })
    const more = yield* noteOf(charge.id)
    assert.deepStrictEqual(yield* store.add(test, charge.id, more), { kind: "full" })
    const [first] = notes
    assert.isDefined(first)
    assert.deepStrictEqual(yield* store.add(test, charge.id, first), { kind: "added" }, "its reply was lost")
    yield* store.remove(charge.id, first.id)
    assert.deepStrictEqual(yield* store.add(test, charge.id, more), { kind: "added" })
    assert.strictEqual((yield* store.list(charge.id)).length, limits.notesPerChargeMax)
  }),
)

/** Cases of notes on charges (docs/contract/notes.md). */
export const noteCases: ReadonlyArray<StoreCase> = [whole, strangers, bound]
