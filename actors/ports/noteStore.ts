import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { Note } from "../../schema/resources/note.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A note without what names its resource. */
export type StoredNote = Omit<Note, "object">

/** What becomes of a new note: `missing`: the seller has no such charge in this mode; `full`: the charge has as many as it can. */
export type NoteAdded = "added" | "missing" | "full"

/** What sellers write about their charges, for themselves (docs/contract/notes.md). */
export class NoteStore extends Context.Service<
  NoteStore,
  {
    /** Adds a note to a charge; one that is there already is added. Of erased customers the notes are gone, and new ones stay. */
    readonly add: (
      feed: Feed,
      chargeId: string,
      note: StoredNote,
    ) => Effect.Effect<{ readonly kind: NoteAdded }, StoreUnavailable>
    /** The notes of a charge, newest first. */
    readonly list: (chargeId: string) => Effect.Effect<ReadonlyArray<StoredNote>, StoreUnavailable>
    /** Deletes a note of a charge: `missing` if there is none. */
    readonly remove: (
      chargeId: string,
      noteId: string,
    ) => Effect.Effect<{ readonly kind: "removed" | "missing" }, StoreUnavailable>
  }
>()("corrente/actors/NoteStore") {}
