import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { knownAddressesKey } from "../keys.ts"
import { RedisClient, type RedisCommand } from "../redis/redisClient.ts"

/** The id of no user. */
const nobody = "00000000-0000-4000-8000-000000000000"

/** Makes the store of the addresses that users have signed in from. */
export const makeKnownAddressStore = Effect.map(RedisClient, (client) => ({
  /** Notes an address as used now, and answers whether it is new. The least recent ones make room, all end with the last. */
  note: (userId: string, address: string, nowMillis: number) => {
    const key = knownAddressesKey(userId)
    const commands: ReadonlyArray<RedisCommand> = [
      ["ZREMRANGEBYSCORE", [key, "-inf", nowMillis - limits.knownAddressMillis]],
      ["ZADD", [key, nowMillis, address]],
      ["ZREMRANGEBYRANK", [key, 0, -(limits.knownAddressesMax + 1)]],
      ["PEXPIRE", [key, limits.knownAddressMillis]],
    ]
    return Effect.map(client.callAll(commands), ([, added]) => added === 1)
  },
  /** When an address was last used, in ms; 0 for never, and for no user. */
  lastUsedMillis: (userId: string | undefined, address: string) =>
    Effect.map(client.call("ZSCORE", [knownAddressesKey(userId ?? nobody), address]), (millis) =>
      Number(millis ?? 0),
    ),
}))
