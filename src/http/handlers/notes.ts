import { Clock, Effect } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { NoteStore, type StoredNote } from "../../../actors/ports/noteStore.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { notesGroup } from "../../../schema/api/notes.ts"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { isId, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Note } from "../../../schema/resources/note.ts"
import { askAgain } from "../../accounts/askAgain.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { Users } from "../../accounts/users/users.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeClockWindows } from "./clockWindows.ts"

const shown = ({ id, text, author, created_at }: StoredNote): Note => ({
  id,
  object: "note",
  text,
  author,
  created_at,
})

const noSuchCharge = (id: string) => resourceNotFound("transaction", id)

/** Routes of notes on charges (docs/contract/notes.md). */
export const makeNoteHandlers = Effect.gen(function* () {
  const notes = yield* NoteStore
  const charges = yield* TransactionStore
  const identifiers = yield* Identifiers
  const users = yield* Users
  const audit = yield* SellerAudit
  const { shownAt } = yield* makeClockWindows

  const checkOwn = Effect.fnUntraced(function* ({ sellerId, mode }: Principal, id: string) {
    const charge = isId("txn_", id) ? yield* charges.load(id) : undefined
    if (charge?.sellerId !== sellerId || charge.mode !== mode) return yield* noSuchCharge(id)
  })

  const deedOf = (
    action: "transaction.note_added" | "transaction.note_deleted",
    { mode }: Principal,
    id: string,
    noteId: string,
  ) => ({ action, resourceType: "transaction", resourceId: id, details: { mode, note_id: noteId } })

  const handlers: GroupHandlers<typeof notesGroup> = {
    listNotes: Effect.fnUntraced(function* ({ params: { id }, principal }) {
      yield* checkOwn(principal, id)
      const data = (yield* notes.list(id)).map(shown)
      return { status: 200, body: JSON.stringify({ data }) }
    }),

    createNote: Effect.fnUntraced(function* ({ params: { id }, payload, principal, session: { userId } }) {
      if (!isId("txn_", id)) return yield* noSuchCharge(id)
      const nowMillis = yield* Clock.currentTimeMillis
      const note: StoredNote = {
        id: identifiers.id("note_", partitionOfId(id) ?? 0, nowMillis),
        text: payload.text,
        author: { id: userId, name: (yield* users.find(userId))?.name ?? "" },
        created_at: new Date(yield* shownAt(principal, nowMillis)).toISOString(),
      }
      const deed = deedOf("transaction.note_added", principal, id, note.id)
      const { kind } = yield* audit.does(principal, deed, askAgain(notes.add(principal, id, note)))
      if (kind === "missing") return yield* noSuchCharge(id)
      if (kind === "added") return { status: 201, body: JSON.stringify(shown(note)) }
      return yield* new ApiError({
        code: "invalid_state",
        message: `A charge has at most ${limits.notesPerChargeMax} notes. Delete one to add another.`,
      })
    }),

    deleteNote: Effect.fnUntraced(function* ({ params, principal, session: { userId } }) {
      const { id, note_id: noteId } = params
      yield* checkOwn(principal, id)
      const note = (yield* notes.list(id)).find((one) => one.id === noteId)
      if (note === undefined) return yield* resourceNotFound("note", noteId)
      if (note.author.id !== userId) {
        return yield* new ApiError({
          code: "permission_denied",
          message: "Only who wrote a note may delete it.",
        })
      }
      const deed = deedOf("transaction.note_deleted", principal, id, noteId)
      yield* audit.does(principal, deed, notes.remove(id, noteId))
      return { status: 204, body: "" }
    }),
  }
  return handlers
})
