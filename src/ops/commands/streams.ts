import { Effect } from "effect"
import { Command } from "effect/cli"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { modes } from "../../../schema/ids.ts"
import type { KeyType } from "../../store/keys/keyKind.ts"
import { answer } from "../answer.ts"
import { optionalWord, word } from "../parameters.ts"
import { RedisAddress } from "../services.ts"
import { type Block, heading, table } from "../text/blocks.ts"
import { knownSeller } from "./knownSeller.ts"
import { type ListedKey, listGlobalKeys, listSellerKeys } from "./listedKeys.ts"

/** Entries that a command shows: one screen. */
const shownMax = 20

/** How redis-cli reads a key of the type, newest or soonest first. */
const readers: Readonly<Record<KeyType, (key: string) => string>> = {
  string: (key) => `GET ${key}`,
  hash: (key) => `HGETALL ${key}`,
  set: (key) => `SMEMBERS ${key}`,
  "set by time": (key) => `ZRANGE ${key} 0 ${shownMax - 1} WITHSCORES`,
  "set by id": (key) => `ZRANGE ${key} + - BYLEX REV LIMIT 0 ${shownMax}`,
  "set by text": (key) => `ZRANGE ${key} - + BYLEX LIMIT 0 ${shownMax}`,
  stream: (key) => `XREVRANGE ${key} + - COUNT ${shownMax}`,
  channel: (key) => (key.includes("*") ? `PSUBSCRIBE ${key}` : `SUBSCRIBE ${key}`),
}

/** The command that reads a key, or finds the keys that match a pattern. */
const commandFor = ({ shownUrl, isCluster }: RedisAddress["Service"], { key, type }: ListedKey): string => {
  const quoted = `'${key}'`
  const finds = key.includes("*") && type !== "channel"
  if (!finds) return `redis-cli ${isCluster ? "-c " : ""}-u ${shownUrl} ${readers[type](quoted)}`
  if (!isCluster) return `redis-cli -u ${shownUrl} --scan --pattern ${quoted}`
  // Every primary holds some of the keys.
  const { host, protocol } = new URL(shownUrl)
  const tls = protocol === "rediss:" ? "--tls " : ""
  return `redis-cli ${tls}--cluster call ${host} --cluster-only-masters KEYS ${quoted}`
}

/** The type as Redis names it. */
const redisType = (type: KeyType): string => (type.startsWith("set by") ? "zset" : type)

const familiesOf = Effect.fnUntraced(function* (sellerId: string) {
  yield* knownSeller(sellerId)
  const sellers = yield* SellerStore
  const endpoints = yield* Effect.forEach(modes, (mode) =>
    Effect.map(sellers.listEndpoints(sellerId, mode), (found) => found.map(({ id = "" }) => ({ id, mode }))),
  )
  return listSellerKeys(sellerId, endpoints.flat())
})

interface ShownFamily {
  readonly family: string
  readonly key: string
  readonly type: string
  readonly holds: string
  readonly command: string
}

/** A table of what there is, and the commands apart from it: they are long, and there to be copied. */
const shownFamilies = ({ data }: { readonly data: ReadonlyArray<ShownFamily> }): ReadonlyArray<Block> => [
  table(
    ["Family", "Type", "Key", "Holds"],
    data.map(({ family, type, key, holds }) => [family, type, key, holds]),
  ),
  heading("Commands that read them"),
  table(
    ["Family", "Command"],
    data.map(({ family, command }) => [family, command]),
  ),
]

export const streams = Command.make(
  "streams",
  { seller: optionalWord(word("seller", "SELLER", "The seller's id, sel_…")) },
  answer(
    Effect.fnUntraced(function* ({ seller }) {
      const address = yield* RedisAddress
      const families = seller === undefined ? listGlobalKeys() : yield* familiesOf(seller)
      return {
        data: families.map((family) => ({
          family: family.family,
          key: family.key,
          type: redisType(family.type),
          holds: family.holds,
          command: commandFor(address, family),
        })),
      }
    }),
    shownFamilies,
  ),
).pipe(
  Command.withShortDescription("Print Redis keys, each with a redis-cli command that reads it."),
  Command.withDescription(
    "Print the Redis keys of a seller, or without SELLER those that belong to none, each with a redis-cli command that reads it. If the Redis of REDIS_URL has a password, set REDISCLI_AUTH for these commands.",
  ),
)
