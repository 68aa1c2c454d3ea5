import { Effect } from "effect"
import type { RedisClient } from "./redisClient.ts"

/** How many keys one SCAN looks at. */
const scanCount = 1_000

/** The names of all keys of a pattern, by default of all, on every server, each once. It reads the names of all keys. */
export const scanKeys = Effect.fnUntraced(function* (client: RedisClient["Service"], pattern = "*") {
  const found = new Set<string>()
  for (const server of client.servers()) {
    let cursor = "0"
    do {
      const reply = yield* server.call("SCAN", [cursor, "MATCH", pattern, "COUNT", scanCount])
      const [next, names] = reply as readonly [string, ReadonlyArray<string>]
      for (const name of names) found.add(name)
      cursor = next
    } while (cursor !== "0")
  }
  return [...found]
})
