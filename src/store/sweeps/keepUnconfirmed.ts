import { Effect } from "effect"
import type { UnconfirmedItem } from "../../../actors/ports/sweepStore.ts"
import { keyOfItem } from "../../../actors/values/listedItem.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["unconfirmed"],
  args: ["before_count", "...before_then_items"],
})

/** Remembers the items of an account's lists that no query confirms, in place of those that a sweep began with. */
export const keepUnconfirmed =
  (client: RedisClient["Service"]) =>
  (account: string, items: ReadonlyArray<UnconfirmedItem>, before: ReadonlyArray<UnconfirmedItem>) =>
    Effect.asVoid(
      Effect.flatMap(
        callFunction(
          client,
          declaration,
          { unconfirmed: keys.unconfirmedKey(account) },
          {
            before_count: before.length,
            before_then_items: [
              ...before.map(({ item }) => keyOfItem(item)),
              ...items.flatMap((one) => [keyOfItem(one.item), JSON.stringify(one)]),
            ],
          },
        ),
        readKind(declaration, kinds),
      ),
    )

/** Adds an item for the next sweep to follow. */
export const noteUnconfirmed =
  (client: RedisClient["Service"]) => (account: string, entry: UnconfirmedItem) =>
    Effect.asVoid(
      client.call("HSET", [keys.unconfirmedKey(account), keyOfItem(entry.item), JSON.stringify(entry)]),
    )

const kinds = { applied: "applied" } as const

/** Reads an item as {@link keepUnconfirmed} wrote it. */
export const unconfirmedOfText = (text: string): UnconfirmedItem => JSON.parse(text)
