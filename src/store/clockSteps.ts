import { Effect } from "effect"
import { aheadAt, type ClockStep } from "../../actors/values/clockSteps.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { Feed } from "../../schema/ids.ts"
import * as keys from "./keys.ts"
import type { RedisClient, RedisCommand, Reply } from "./redis/redisClient.ts"
import { words } from "./redis/reply.ts"

/** Reads all steps of a seller's test clock. */
export const stepsCommand = (sellerId: string): RedisCommand => [
  "ZRANGE",
  [keys.clockStepsKey(sellerId), 0, -1, "WITHSCORES"],
]

/** Reads the reply of {@link stepsCommand}. */
export const readSteps = (reply: Reply | undefined): ReadonlyArray<ClockStep> => {
  const values = words(reply ?? []).map(Number)
  return Array.from({ length: values.length / 2 }, (_, i) => ({
    aheadMillis: values[2 * i] ?? 0,
    atMillis: values[2 * i + 1] ?? 0,
  }))
}

interface Dated {
  readonly entryId: string
  readonly aheadMillis?: number | undefined
}

/**
 * Runs commands and reads their replies as entries of a seller and mode; those of test mode learn how far ahead the seller's clock was,
 * in the same round trip.
 */
export const readDated = <A extends Dated>(
  client: RedisClient["Service"],
  { sellerId, mode }: Feed,
  commands: ReadonlyArray<RedisCommand>,
  read: (replies: ReadonlyArray<Reply>) => ReadonlyArray<A>,
): Effect.Effect<
  { readonly entries: ReadonlyArray<A>; readonly replies: ReadonlyArray<Reply> },
  StoreUnavailable
> =>
  Effect.map(
    client.callAll(mode === "test" ? [...commands, stepsCommand(sellerId)] : commands),
    (replies) => {
      const entries = read(replies)
      const steps = mode === "test" ? readSteps(replies[commands.length]) : []
      if (steps.length === 0) return { entries, replies }
      const dated = entries.map((entry) => ({
        ...entry,
        aheadMillis: aheadAt(steps, Number.parseInt(entry.entryId, 10)),
      }))
      return { entries: dated, replies }
    },
  )
