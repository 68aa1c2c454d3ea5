import { Schema } from "effect"
import { timestamp } from "../fields.ts"
import { limits } from "../limits.ts"
import { linesOf } from "../text.ts"

const NoteText = linesOf(limits.noteLengthMax).check(
  Schema.makeFilter((text: string) => text.trim() !== "" || "a text that is not empty"),
)

/** Body of POST /v1/me/transactions/{id}/notes (`docs/contract/notes.md#add`). */
export const CreateNote = Schema.Struct({
  text: NoteText.annotateKey({
    description: `1 to ${limits.noteLengthMax} characters, of which one is no space. Line breaks are kept.`,
  }),
}).annotate({ identifier: "CreateNote", examples: [{ text: "Cliente pediu a troca por WhatsApp." }] })

const Author = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The user's id." }),
  name: Schema.String.annotateKey({ description: "The user's name when it was written." }),
})

/** A seller's own note on a charge (`docs/contract/notes.md`). */
export const Note = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The note's id." }),
  object: Schema.Literal("note").annotateKey({ description: "The kind of resource." }),
  text: Schema.String.annotateKey({ description: "What was written." }),
  author: Author.annotateKey({ description: "Who wrote it, and may delete it." }),
  created_at: timestamp.annotateKey({ description: "When it was written." }),
}).annotate({
  identifier: "Note",
  examples: [
    {
      id: "note_01KA0000000700000000000000",
      object: "note",
      text: "Cliente pediu a troca por WhatsApp.",
      author: { id: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4", name: "Ana Souza" },
      created_at: "2026-11-21T12:00:00.000Z",
    },
  ],
})
export type Note = typeof Note.Type
