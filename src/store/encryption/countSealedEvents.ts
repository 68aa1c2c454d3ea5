import { Effect } from "effect"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, { keys: ["events"], args: ["after", "page"] })

/** Few enough that the server answers others in between. */
const pageEntries = 200

/** The entries of a page of a feed that have a document sealed with a key. */
export interface SealedEvents {
  readonly keyId: string
  readonly count: number
  /** When the newest of them was written, in ms. */
  readonly newestMillis: number
}

/** Counts a page of the entries after one ("" begins); `last` is undefined at the end. */
export const countSealedEvents = (client: RedisClient["Service"]) => (stream: string, after: string) =>
  Effect.map(
    callFunction(client, declaration, { events: stream }, { after, page: pageEntries }),
    (reply): { readonly last: string | undefined; readonly found: ReadonlyArray<SealedEvents> } => {
      const [last = "", ...values] = words(reply)
      const found: Array<SealedEvents> = []
      for (let at = 0; at + 2 < values.length; at += 3) {
        const [keyId = "", count, entryId = ""] = values.slice(at, at + 3)
        found.push({ keyId, count: Number(count), newestMillis: Number(entryId.split("-")[0]) })
      }
      return { last: last === "" ? undefined : last, found }
    },
  )
