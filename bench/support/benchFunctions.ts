import { readFileSync } from "node:fs"
import type { Redis } from "ioredis"
import { luaKeyNames } from "../../src/store/keys/table.ts"

const textOf = (relative: string): string =>
  readFileSync(new URL(`../../${relative}`, import.meta.url), "utf8")

/** Loads the bench's own Redis functions (events.lua), which call the service's modules of events and deliveries. */
export const loadBenchFunctions = async (redis: Redis): Promise<void> => {
  const lua = [
    luaKeyNames(),
    "local events, deliveries = {}, {}",
    ...["redis/prelude", "deliveries", "events"].map((name) => textOf(`src/store/${name}.lua`)),
    textOf("bench/load/events.lua"),
  ]
  await redis.function("LOAD", "REPLACE", ["#!lua name=corrente_bench", ...lua].join("\n"))
}

/** Loads the Redis functions of the bare queue (bareQueue.lua). */
export const loadBareQueue = async (redis: Redis): Promise<void> => {
  await redis.function("LOAD", "REPLACE", textOf("bench/peers/bareQueue.lua"))
}
