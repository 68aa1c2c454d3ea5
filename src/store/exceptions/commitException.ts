import { Effect } from "effect"
import type { ExceptionCommit } from "../../../actors/ports/exceptionStore.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"
import { changeArguments, exceptionKeyNames, exceptionKeys } from "./exceptionEffect.ts"

const declaration = declareFunction(import.meta.url, {
  keys: [...exceptionKeyNames, "timers"],
  args: [
    "exception_id",
    "wake_channel",
    "timers_set_count",
    "timers_dropped_count",
    "...timers_then_exception",
  ],
})

/** Commits a change of an exception alone, with its timers: `applied`, or refused as `stale` or `missing`. */
export const commitException =
  (client: RedisClient["Service"]) =>
  ({ change, timers, timersDone }: ExceptionCommit) => {
    const { id } = change.exception
    const tag = keys.tagOf(id)
    const call = callFunction(
      client,
      declaration,
      { ...exceptionKeys({ kind: "change", change }), timers: keys.timersKey(tag) },
      {
        exception_id: id,
        wake_channel: keys.wakeChannel(tag),
        timers_set_count: timers.length,
        timers_dropped_count: timersDone.length,
        timers_then_exception: [
          ...timers.flatMap((timer) => [timer.name, timer.dueMillis]),
          ...timersDone,
          ...changeArguments(change),
        ],
      },
    )
    return Effect.flatMap(call, readKind(declaration, kinds))
  }

const kinds = { applied: "applied", stale: "stale", missing: "missing" } as const
