import { Effect } from "effect"
import { limits } from "../../schema/limits.ts"
import { knownAddressesKey } from "./keys.ts"
import { RedisClient, type RedisCommand } from "./redis/redisClient.ts"

/** An id that no user has. */
const nobody = "00000000-0000-4000-8000-000000000000"

/** Makes the store of the addresses that users have signed in from (docs/contract/accounts.md#known-devices). */
export const makeKnownAddressStore = Effect.map(RedisClient, (client) => ({
  /** Records an address as used now and answers whether it is new. The least recently used are dropped, all expire together. */
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
  /** When an address was last used, in ms; 0 if never, or if there is no user. */
  lastUsedMillis: (userId: string | undefined, address: string) =>
    Effect.map(client.call("ZSCORE", [knownAddressesKey(userId ?? nobody), address]), (millis) =>
      Number(millis ?? 0),
    ),
}))
