import { Effect } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import type { RedisClient } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

/** A ciphertext of a hash, and what takes its place. */
export interface ResealedText {
  readonly hash: string
  readonly field: string
  readonly expected: string
  readonly replacement: string
  /** Whether changes of the text are decided on the hash's `version`. */
  readonly isVersioned: boolean
  /** The seller that the hash is, of which all processes are told. */
  readonly sellerId?: string
}

const resealTextFunction = luaFunction("encryption.reseal_text", { keys: ["hash"] })

/** Replaces a ciphertext in a text of a hash: `resealed`, or refused as `stale` where it is no longer there. */
export const resealText =
  (client: Client) =>
  ({ hash, ...change }: ResealedText) =>
    Effect.flatMap(
      callFunction(client, resealTextFunction, { hash }, change),
      readKind(resealTextFunction, { resealed: "resealed", stale: "stale" }),
    )

/** A PIX key's ciphertext, and what takes its place together with the hash of the same value. */
export interface ResealedPixKey {
  readonly id: string
  readonly feed: Feed
  readonly expected: string
  readonly replacement: string
  readonly valueHash: string
}

const resealPixKeyFunction = luaFunction("encryption.reseal_pix_key", { keys: ["pixKey", "values"] })

/** Replaces ciphertext and hash of a PIX key's value: `resealed`, or refused as `stale` where it has changed. */
export const resealPixKey =
  (client: Client) =>
  ({ feed, ...change }: ResealedPixKey) =>
    Effect.flatMap(
      callFunction(
        client,
        resealPixKeyFunction,
        { pixKey: keys.pixKeyKey(change.id), values: keys.pixKeyValuesKey(feed) },
        change,
      ),
      readKind(resealPixKeyFunction, { resealed: "resealed", stale: "stale" }),
    )

const resealMemberFunction = luaFunction("encryption.reseal_member", { keys: ["set"] })

/** Replaces a ciphertext of a set: `resealed`, or refused as `stale` where it was used or removed. */
export const resealMember = (client: Client) => (set: string, expected: string, replacement: string) =>
  Effect.flatMap(
    callFunction(client, resealMemberFunction, { set }, { expected, replacement }),
    readKind(resealMemberFunction, { resealed: "resealed", stale: "stale" }),
  )

/** Few enough that the server answers others in between. */
const pageEntries = 200

/** The entries of a page of a feed that have a document sealed with a key. */
export interface SealedEvents {
  readonly keyId: string
  readonly count: number
  /** When the newest of them was written, in ms. */
  readonly newestMillis: number
}

/** A page of a feed; `last` is its last entry, undefined where the feed ends. */
export interface SealedPage {
  readonly last: string | undefined
  readonly found: ReadonlyArray<SealedEvents>
}

const countFunction = luaFunction("encryption.count_sealed_events", { keys: ["events"], isReadOnly: true })

/** Counts a page of the entries after one, or from the beginning. */
export const countSealedEvents =
  (client: Client) =>
  (stream: string, after: string | undefined): Effect.Effect<SealedPage, StoreUnavailable> =>
    Effect.map(callFunction(client, countFunction, { events: stream }, { after, pageEntries }), (reply) => {
      const [last = "", ...values] = words(reply)
      const found: Array<SealedEvents> = []
      for (let at = 0; at + 2 < values.length; at += 3) {
        const [keyId = "", count, entryId = ""] = values.slice(at, at + 3)
        found.push({ keyId, count: Number(count), newestMillis: Number(entryId.split("-")[0]) })
      }
      return { last: last === "" ? undefined : last, found }
    })
