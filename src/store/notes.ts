import { Effect, Layer, Schema } from "effect"
import { NoteStore, type StoredNote } from "../../actors/ports/noteStore.ts"
import { storedReader } from "../../actors/values/storedDocuments.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { Note } from "../../schema/resources/note.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readHash, readKind } from "./redis/reply.ts"

type Client = RedisClient["Service"]

const { author, created_at, text } = Note.fields
const parseNote = storedReader("note", Schema.Struct({ author, created_at, text }))

const addFunction = luaFunction("notes.add", {
  keys: ["charge", "notes"],
  texts: ["note"],
  audited: { replies: ["added"] },
})

const add =
  (client: Client) =>
  ({ sellerId, mode }: Feed, chargeId: string, { id, ...note }: StoredNote) =>
    Effect.flatMap(
      callFunction(
        client,
        addFunction,
        { charge: keys.transactionKey(chargeId), notes: keys.notesKey(chargeId) },
        { sellerId, mode, noteId: id, notesMax: limits.notesPerChargeMax },
        { note: JSON.stringify(note) },
      ),
      readKind(addFunction, { added: "added", missing: "missing", full: "full" }),
    )

const removeFunction = luaFunction("notes.remove", { keys: ["notes"], audited: { replies: ["removed"] } })

const remove = (client: Client) => (chargeId: string, noteId: string) =>
  Effect.flatMap(
    callFunction(client, removeFunction, { notes: keys.notesKey(chargeId) }, { noteId }),
    readKind(removeFunction, { removed: "removed", missing: "missing" }),
  )

const list = (client: Client) => (chargeId: string) =>
  Effect.map(client.call("HGETALL", [keys.notesKey(chargeId)]), (reply) =>
    Object.entries(readHash(reply))
      .map(([id, stored]): StoredNote => ({ id, ...parseNote(stored) }))
      .toSorted((one, other) => (one.id < other.id ? 1 : -1)),
  )

/** Sellers' notes on Redis. */
export const NoteStoreLive = Layer.effect(
  NoteStore,
  Effect.map(RedisClient, (client) =>
    NoteStore.of({ add: add(client), list: list(client), remove: remove(client) }),
  ),
)
