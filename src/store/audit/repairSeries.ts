import { Effect } from "effect"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { readKind } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["feed", "since", "series_prefix"],
  args: ["last", "...counts"],
})

/** The counts of hours (since 1970), as a feed that ends with an entry has them. */
export interface SeriesRepair {
  readonly last: string
  readonly countNames: ReadonlyArray<string>
  readonly hours: ReadonlyArray<{ readonly hour: number; readonly counts: ReadonlyArray<string> }>
}

/** Sets counts and notes that all is counted; false if the feed has grown since they were added up. */
export const repairSeries = (
  client: RedisClient["Service"],
  feed: Feed,
  { last, countNames, hours }: SeriesRepair,
) =>
  callFunction(
    client,
    declaration,
    {
      feed: keys.feedKey(feed),
      since: keys.countedSinceKey(feed),
      series_prefix: keys.seriesKey(feed, "*").slice(0, -1),
    },
    {
      last,
      counts: hours.flatMap(({ hour, counts }) =>
        countNames.flatMap((name, i) => [Math.floor(hour / 24), `${hour % 24}:${name}`, counts[i] ?? "0"]),
      ),
    },
  ).pipe(
    Effect.flatMap(readKind(declaration, { repaired: "repaired", stale: "stale" })),
    Effect.map(({ kind }) => kind === "repaired"),
  )
