import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { CreateNote, Note } from "../resources/note.ts"
import { listOf } from "./common.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

const chargeParams = { id: Schema.String.annotateKey({ description: "The charge's id." }) }

const errors = ["validation_failed", "session_required", "permission_denied", "resource_not_found"] as const

/** Notes on charges, for a session with `X-Mode` (`docs/contract/notes.md`). */
export const notesGroup = HttpApiGroup.make("notes")
  .add(
    route.get("listNotes", "/v1/me/transactions/:id/notes", {
      roles: rolesFor.reading,
      summary: "What the seller has noted about a charge, newest first",
      params: chargeParams,
      success: listOf(Note),
      errors: [...errors],
    }),
    route.post("createNote", "/v1/me/transactions/:id/notes", {
      roles: rolesFor.serving,
      summary: "Note something about a charge, for the seller's people alone",
      params: chargeParams,
      payload: CreateNote,
      success: Note.pipe(HttpApiSchema.status(201)),
      errors: [
        ...errors,
        "origin_not_allowed",
        "invalid_state",
        "length_required",
        "payload_too_large",
        "unsupported_media_type",
      ],
    }),
    route.delete("deleteNote", "/v1/me/transactions/:id/notes/:note_id", {
      roles: rolesFor.serving,
      summary: "Delete a note of one's own",
      params: {
        ...chargeParams,
        note_id: Schema.String.annotateKey({ description: "The note's id." }),
      },
      success: HttpApiSchema.NoContent,
      errors: [...errors, "origin_not_allowed"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(
    OpenApi.Description,
    "A seller's own notes on charges. Payers, events and exports never have them.",
  )
