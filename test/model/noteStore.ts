import { NoteStore } from "../../actors/ports/noteStore.ts"
import { limits } from "../../schema/limits.ts"
import { atomicStep, type MemoryState } from "./state.ts"

/** NoteStore over the memory state. */
export const makeNoteStore = (state: MemoryState): NoteStore["Service"] => {
  const notesOf = (chargeId: string) => state.notes.get(chargeId) ?? []
  return NoteStore.of({
    add: ({ sellerId, mode }, chargeId, note) =>
      atomicStep(state, () => {
        const charge = state.transactions.get(chargeId)
        if (charge?.sellerId !== sellerId || charge.mode !== mode) return { kind: "missing" }
        const notes = notesOf(chargeId)
        if (notes.some(({ id }) => id === note.id)) return { kind: "added" }
        if (notes.length >= limits.notesPerChargeMax) return { kind: "full" }
        state.notes.set(chargeId, [...notes, note])
        return { kind: "added" }
      }),
    list: (chargeId) =>
      atomicStep(state, () => notesOf(chargeId).toSorted((one, other) => (one.id < other.id ? 1 : -1))),
    remove: (chargeId, noteId) =>
      atomicStep(state, () => {
        const notes = notesOf(chargeId)
        const left = notes.filter(({ id }) => id !== noteId)
        state.notes.set(chargeId, left)
        return { kind: left.length < notes.length ? "removed" : "missing" }
      }),
  })
}
