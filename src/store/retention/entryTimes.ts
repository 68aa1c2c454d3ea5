import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** When a stream's entry was written, in ms. */
export const millisOf = (entryId: string): number => Number(entryId.split("-")[0])

/** The entry ids that a hash's `events` names, oldest first. */
export const entriesOf = (events: string): ReadonlyArray<string> =>
  events.split(" ").filter((entryId) => entryId !== "")

/** When a resource was created, by its oldest event, in ms. Its id would tell the time of its seller's test clock. */
export const beginningMillis = (events: ReadonlyArray<string>): number => millisOf(events[0] ?? "")

const isAfter = (one: string, other: string): boolean => {
  const [millis, sequence] = one.split("-").map(Number)
  const [otherMillis, otherSequence] = other.split("-").map(Number)
  return millis === otherMillis
    ? Number(sequence) > Number(otherSequence)
    : Number(millis) > Number(otherMillis)
}

/** The newest of some entry ids; "0-0" for none. */
export const newestOf = (entryIds: ReadonlyArray<string>): string =>
  entryIds.reduce((newest, entryId) => (isAfter(entryId, newest) ? entryId : newest), "0-0")

/** A page of an index of ids, oldest first; `afterId` "" begins. */
export const readOldestIds = (client: RedisClient["Service"], index: string, afterId: string) =>
  Effect.map(
    client.call("ZRANGE", [
      ...[index, afterId === "" ? "-" : `(${afterId}`, "+"],
      ...["BYLEX", "LIMIT", 0, limits.trimmedTestResourcesMax],
    ]),
    (reply) => reply as ReadonlyArray<string>,
  )
