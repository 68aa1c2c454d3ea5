import { modes } from "../../../schema/ids.ts"
import { transactionStatuses } from "../../../schema/resources/transaction.ts"
import { mailKey, userEmailKey, userKey } from "../../accounts/userKeys.ts"
import * as keys from "../../store/keys.ts"

/** What a key holds: a Redis type, how it is sorted where that decides how to read it, or a channel. */
export type KeyType = "string" | "hash" | "set by time" | "set by id" | "stream" | "channel"

/** Keys of one kind. A `*` in `key` stands for what differs from one to the next. */
export interface KeyFamily {
  readonly family: string
  readonly key: string
  readonly type: KeyType
  readonly holds: string
}

const family = (name: string, key: string, type: KeyType, holds: string): KeyFamily => ({
  family: name,
  key,
  type,
  holds,
})

const attemptStatuses = ["success", "failed", "dead"] as const

const modeFamilies = (sellerId: string): ReadonlyArray<KeyFamily> =>
  modes.flatMap((mode) => {
    const feed = { sellerId, mode }
    return [
      family("events", keys.eventsKey(feed), "stream", `every ${mode} event, whole`),
      family("feed", keys.feedKey(feed), "hash", `the ${mode} feed's last seq and newest entry`),
      family("hints", keys.feedChannel(feed), "channel", `says that the ${mode} feed has grown`),
      family("endpoints", keys.endpointsKey(feed), "set by id", `ids of the ${mode} webhook endpoints`),
      family(
        "subscriptions",
        keys.subscriptionsKey(feed),
        "hash",
        `enabled ${mode} endpoints and their event types`,
      ),
      family("transactions", keys.transactionsKey(sellerId, mode), "set by id", `ids of all ${mode} charges`),
      ...transactionStatuses.map((status) =>
        family(
          "transactions",
          keys.transactionsKey(sellerId, mode, status),
          "set by id",
          `ids of the ${status} ${mode} charges`,
        ),
      ),
      family(
        "attempts",
        keys.attemptsKey(sellerId, mode),
        "set by id",
        `ids of all ${mode} delivery attempts`,
      ),
      ...attemptStatuses.map((value) =>
        family(
          "attempts",
          keys.attemptsKey(sellerId, mode, { kind: "status", value }),
          "set by id",
          `ids of the ${mode} attempts that are ${value}`,
        ),
      ),
      family(
        "attempts",
        keys.attemptsKey(sellerId, mode, { kind: "event", value: "*" }),
        "set by id",
        `ids of the ${mode} attempts of one event`,
      ),
      family(
        "idempotency",
        keys.idempotencyKey(sellerId, mode, "*", "*"),
        "hash",
        `what was answered under a ${mode} Idempotency-Key`,
      ),
    ]
  })

const endpointFamilies = (mode: string, endpointId: string): ReadonlyArray<KeyFamily> => [
  family("destination", keys.destinationKey(endpointId), "hash", `a ${mode} webhook endpoint`),
  family(
    "queue",
    keys.queueKey(endpointId),
    "set by time",
    "events owed to it, by the time they are due (ms)",
  ),
  family("delivery", keys.deliveryKey(endpointId, "*"), "hash", "one event owed to it"),
]

/** The families of a partition, which its sellers share. */
const partitionFamilies = (tag: string, partition: string): ReadonlyArray<KeyFamily> => [
  family("transaction", `txn:${tag}:*`, "hash", `one charge of a seller of ${partition}`),
  family("attempt", `attempt:${tag}:*`, "hash", `one delivery attempt of a seller of ${partition}`),
  family(
    "api key",
    `apikey:${tag}:*`,
    "hash",
    `one API key of a seller of ${partition}, by its SHA-256 in base64url`,
  ),
  family(
    "due",
    keys.dueKey(tag),
    "set by time",
    `destinations of ${partition}, by the time something is due (ms)`,
  ),
  family("timers", keys.timersKey(tag), "set by time", `timers of ${partition}, by the time they fire (ms)`),
  family(
    "wake-ups",
    keys.wakeChannel(tag),
    "channel",
    `says that something of ${partition} is due sooner than known`,
  ),
]

/** Every key family of a seller, with the keys of its endpoints. */
export const sellerFamilies = (
  sellerId: string,
  endpoints: ReadonlyArray<{ readonly id: string; readonly mode: string }>,
): ReadonlyArray<KeyFamily> => [
  family("seller", keys.sellerKey(sellerId), "hash", "the seller; secrets are ciphertext"),
  ...modeFamilies(sellerId),
  ...endpoints.flatMap(({ id, mode }) => endpointFamilies(mode, id)),
  family("streams", keys.streamsKey(sellerId), "hash", "its open SSE streams and their processes"),
  ...partitionFamilies(keys.tagOf(sellerId), "its partition"),
  family("owner", keys.ownerKey(keys.partitionOf(sellerId)), "string", "the process that runs its partition"),
]

/** The key families that belong to no seller, and those of all partitions. */
export const globalFamilies = (): ReadonlyArray<KeyFamily> => [
  family("processes", keys.processesKey, "set by time", "live processes, by their last heartbeat (ms)"),
  family("mail", mailKey, "stream", "mails, where SMTP_URL is not set"),
  family("user", userKey("*"), "hash", "one user; secrets are ciphertext"),
  family(
    "user e-mail",
    `${userEmailKey("").slice(0, -64)}*`,
    "string",
    "the user of an address, by the SHA-256 in hex of its lower case",
  ),
  ...partitionFamilies("{p*}", "one partition"),
  family("owner", "owner:{p*}", "string", "the process that runs one partition"),
]
