import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readHash } from "../sellers/sellerHash.ts"

/** For each live process of the service the ids of its keys of `ENCRYPTION_KEY`, newest first: it encrypts with the first. */
export const processKeys = Effect.fnUntraced(function* (client: RedisClient["Service"]) {
  // By Redis' own clock, as heartbeats are.
  const [seconds] = (yield* client.call("TIME", [])) as readonly [string, string]
  const sinceMillis = Number(seconds) * 1_000 - limits.partitionLeaseMillis
  const ids = yield* client.call("ZRANGE", [keys.processesKey, sinceMillis, "+inf", "BYSCORE"])
  const known = readHash(yield* client.call("HGETALL", [keys.processKeysKey]))
  return (ids as ReadonlyArray<string>).flatMap((id) =>
    known[id] === undefined ? [] : [known[id].split(",") as ReadonlyArray<string>],
  )
})
