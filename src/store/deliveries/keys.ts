import { type Mode, modes } from "../../../schema/ids.ts"
import { attemptStatuses } from "../../../schema/resources/delivery.ts"
import { family, type KeyFamilies, patternOf } from "../keyFamily.ts"
import { partitionTag, tagOf, tagOfDestination } from "../tags.ts"

/** Sorted set: entry ids owed to a destination, by due time. */
export const queueKey = (destinationId: string): string =>
  `queue:${tagOfDestination(destinationId)}:${destinationId}`

/** The prefix of `queueKey`, for functions that build its names. */
export const queuePrefix = (tag: string): string => `queue:${tag}:`

/** Sorted set: destinations of a partition by the time something is due there. */
export const dueKey = (tag: string): string => `due:${tag}`

/** Hash of an ordered endpoint: resource -> the entry that has its turn, and that entry -> its resource. */
export const turnsKey = (endpointId: string): string => `turns:${tagOfDestination(endpointId)}:${endpointId}`

/** Sorted set by name: the entries that wait for their resource's turn, as `<resource> <seq in 16 digits> <entry>`. */
export const waitingKey = (endpointId: string): string =>
  `waiting:${tagOfDestination(endpointId)}:${endpointId}`

/** Hash: one event owed to one destination, from its first claim on. */
export const deliveryKey = (destinationId: string, entryId: string): string =>
  `delivery:${tagOfDestination(destinationId)}:${destinationId}:${entryId}`

/** The prefix of `deliveryKey`, for functions that build its names. */
export const deliveryPrefix = (tag: string): string => `delivery:${tag}:`

/** Hash: one attempt's row and detail. */
export const attemptKey = (deliveryId: string): string => `attempt:${tagOf(deliveryId)}:${deliveryId}`

/** Sorted sets, all scores 0: a seller's attempt ids by age: all, and one per endpoint, event and status. */
export const attemptsKey = (
  sellerId: string,
  mode: Mode,
  by?: { readonly kind: "endpoint" | "event" | "status"; readonly value: string },
): string =>
  `${attemptsPrefix(tagOf(sellerId))}${sellerId}:${mode}${by === undefined ? "" : `:${by.kind}:${by.value}`}`

/** The prefix of `attemptsKey`, for functions that build its names. */
export const attemptsPrefix = (tag: string): string => `attempts:${tag}:`

/** Sorted set, all scores 0: a mode's dead attempts of all sellers of a partition. */
export const deadAttemptsKey = (tag: string, mode: Mode): string => `dead-attempts:${tag}:${mode}`

/** The key families of deliveries and their attempts. */
export const deliveryFamilies: KeyFamilies = {
  ofMode: ({ sellerId, mode }) => [
    family("attempts", attemptsKey(sellerId, mode), "set by id", `ids of all ${mode} delivery attempts`),
    ...attemptStatuses.map((value) =>
      family(
        "attempts",
        attemptsKey(sellerId, mode, { kind: "status", value }),
        "set by id",
        `ids of the ${mode} attempts that are ${value}`,
      ),
    ),
    family(
      "attempts",
      attemptsKey(sellerId, mode, { kind: "event", value: "*" }),
      "set by id",
      `ids of the ${mode} attempts of one event`,
    ),
  ],
  ofEndpoint: ({ sellerId, mode }, endpointId) => [
    family("queue", queueKey(endpointId), "set by time", "events owed to it, by the time they are due (ms)"),
    family("turns", turnsKey(endpointId), "hash", "if it is ordered: which event of a resource is queued"),
    family("waiting", waitingKey(endpointId), "set by id", "if it is ordered: events that wait for those"),
    family("delivery", deliveryKey(endpointId, "*"), "hash", "one event owed to it"),
    family(
      "attempts",
      attemptsKey(sellerId, mode, { kind: "endpoint", value: endpointId }),
      "set by id",
      "ids of its attempts",
    ),
  ],
  ofPartition: (partition, whose) => {
    const tag = partitionTag(partition)
    return [
      ...modes.map((mode) =>
        family(
          "dead attempts",
          deadAttemptsKey(tag, mode),
          "set by id",
          `ids of ${mode} attempts that are dead`,
        ),
      ),
      family("queue", `${queuePrefix(tag)}*`, "set by time", `events owed to one destination of ${whose}`),
      family(
        "turns",
        patternOf("we_", partition, turnsKey),
        "hash",
        `which event of a resource is queued, for one ordered endpoint of ${whose}`,
      ),
      family(
        "waiting",
        patternOf("we_", partition, waitingKey),
        "set by id",
        `events that wait for those, of one ordered endpoint of ${whose}`,
      ),
      family("delivery", `${deliveryPrefix(tag)}*`, "hash", `one event owed to one destination of ${whose}`),
      family(
        "attempt",
        patternOf("whd_", partition, attemptKey),
        "hash",
        `one delivery attempt of a seller of ${whose}`,
      ),
      family(
        "due",
        dueKey(tag),
        "set by time",
        `destinations of ${whose}, by the time something is due (ms)`,
      ),
    ]
  },
}
