import type { Feed } from "../../../schema/ids.ts"
import { family, type KeyFamilies, patternOf } from "../keyFamily.ts"
import { tagOf, tagOfDestination } from "../tags.ts"

/** Hash: a seller's counts of one day (UTC, in days since 1970) by hour, `<hour>:<count>`. */
export const seriesKey = ({ sellerId, mode }: Feed, day: number | "*"): string =>
  `series:${tagOf(sellerId)}:${sellerId}:${mode}:${day}`

/** String: how many attempts of each hour of a day took how long, a 32-bit number for each hour and bin. */
export const deliveryTimesKey = ({ sellerId, mode }: Feed, day: number | "*"): string =>
  `delivery-times:${tagOf(sellerId)}:${sellerId}:${mode}:${day}`

/**
 * String: an endpoint's attempts of a day, a 24-bit number for each hour and count: of those that succeeded, of all others, and
 * of each bin of durations.
 */
export const endpointSeriesKey = (endpointId: string, day: number | "*"): string =>
  `endpoint-series:${tagOfDestination(endpointId)}:${endpointId}:${day}`

/** String: the event since which all charges are counted and found; `0-0`: since the first. */
export const countedSinceKey = ({ sellerId, mode }: Feed): string =>
  `counted-since:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Sorted set, all scores 0: `<digest> <charge>`, by what a seller's charges are found. */
export const lookupKey = ({ sellerId, mode }: Feed): string => `lookup:${tagOf(sellerId)}:${sellerId}:${mode}`

/** The key families of series and search. */
export const seriesFamilies: KeyFamilies = {
  ofMode: (feed) => [
    family("series", seriesKey(feed, "*"), "hash", `counts of a day in ${feed.mode}, by hour`),
    family("series", deliveryTimesKey(feed, "*"), "string", `how long a day's ${feed.mode} attempts took`),
    family("series", countedSinceKey(feed), "string", `since which event ${feed.mode} charges are counted`),
    family("lookup", lookupKey(feed), "set by id", `by what ${feed.mode} charges are found`),
  ],
  ofEndpoint: (_feed, endpointId) => [
    family("series", endpointSeriesKey(endpointId, "*"), "string", "its attempts of a day, by hour"),
  ],
  ofPartition: (partition, whose) => [
    family(
      "series",
      patternOf("we_", partition, (id) => endpointSeriesKey(id, "*")),
      "string",
      `a day's attempts of one endpoint of ${whose}`,
    ),
  ],
}
