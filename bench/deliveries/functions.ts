import { readFileSync } from "node:fs"
import type { Redis } from "ioredis"

const textOf = (relative: string): string => readFileSync(new URL(relative, import.meta.url), "utf8")

/** Loads the bench's own Redis functions (oweEvent.lua). */
export const loadOwingFunctions = async (redis: Redis): Promise<void> => {
  const prelude = textOf("../../src/store/redis/prelude.lua")
  const library = `#!lua name=corrente_bench_deliveries\n${prelude}\n${textOf("./oweEvent.lua")}`
  await redis.function("LOAD", "REPLACE", library)
}

/** Loads the Redis functions of the bare queue (bareQueue.lua). */
export const loadBareQueue = async (redis: Redis): Promise<void> => {
  await redis.function("LOAD", "REPLACE", textOf("../peers/bareQueue.lua"))
}
