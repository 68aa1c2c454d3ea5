import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import { type Mode, modes } from "../../../schema/ids.ts"
import { pixKeyStatuses } from "../../../schema/resources/pixKey.ts"
import { transactionStatuses } from "../../../schema/resources/transaction.ts"
import * as keys from "../../store/keys.ts"
import { accountFamilies } from "./accountFamilies.ts"
import { inboxFamiliesOfPartition } from "./inboxFamilies.ts"
import { family, type KeyFamily, patternOf } from "./keyFamily.ts"
import { moneyFamilies, moneyFamiliesOfPartition } from "./moneyFamilies.ts"

const attemptStatuses = ["success", "failed", "dead"] as const

const modeFamilies = (sellerId: string): ReadonlyArray<KeyFamily> =>
  modes.flatMap((mode) => {
    const feed = { sellerId, mode }
    return [
      family("events", keys.eventsKey(feed), "stream", `every ${mode} event in full`),
      family("feed", keys.feedKey(feed), "hash", `the ${mode} feed's last seq and newest entry`),
      family("hints", keys.feedChannel(feed), "channel", `announces new events in the ${mode} feed`),
      family("endpoints", keys.endpointsKey(feed), "set by id", `ids of the ${mode} webhook endpoints`),
      family(
        "subscriptions",
        keys.subscriptionsKey(feed),
        "hash",
        `enabled ${mode} endpoints and their event types`,
      ),
      family(
        "postbacks",
        keys.postbacksKey(feed),
        "set by time",
        `${mode} postback destinations, by when an event was last owed to them, and deleted endpoints (ms)`,
      ),
      family("PIX keys", keys.pixKeysKey(sellerId, mode), "set by id", `ids of all ${mode} PIX keys`),
      ...pixKeyStatuses.map((status) =>
        family(
          "PIX keys",
          keys.pixKeysKey(sellerId, mode, status),
          "set by id",
          `ids of the ${mode} PIX keys that are ${status}`,
        ),
      ),
      family(
        "PIX key values",
        keys.pixKeyValuesKey(feed),
        "hash",
        `the ${mode} PIX keys that are pending or verified, by the SHA-256 of their values in base64url`,
      ),
      family(
        "transactions",
        keys.transactionsKey(sellerId, mode),
        "set by id",
        `ids of all ${mode} transactions`,
      ),
      ...transactionStatuses.map((status) =>
        family(
          "transactions",
          keys.transactionsKey(sellerId, mode, status),
          "set by id",
          `ids of the ${status} ${mode} transactions`,
        ),
      ),
      ...moneyFamilies(feed),
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
        "destination",
        keys.destinationKey(destinationIdOfTracker(sellerId, mode)),
        "hash",
        `the ${mode} tracker; its headers are ciphertext`,
      ),
      family(
        "api keys",
        keys.apiKeysKey(sellerId, mode),
        "hash",
        `the ${mode} API keys that are not revoked: their ids and SHA-256 in base64url`,
      ),
      family("counters", keys.countersKey(sellerId, mode), "string", `the cached ${mode} counters`),
      family(
        "idempotency",
        keys.idempotencyKey(sellerId, mode, "*", "*"),
        "hash",
        `the response stored under a ${mode} Idempotency-Key`,
      ),
    ]
  })

const endpointFamilies = (sellerId: string, mode: Mode, endpointId: string): ReadonlyArray<KeyFamily> => [
  family("destination", keys.destinationKey(endpointId), "hash", `a ${mode} webhook endpoint`),
  family("statistics", keys.endpointStatsKey(endpointId), "hash", "its attempts and successes per hour"),
  family(
    "queue",
    keys.queueKey(endpointId),
    "set by time",
    "events owed to it, by the time they are due (ms)",
  ),
  family("delivery", keys.deliveryKey(endpointId, "*"), "hash", "one event owed to it"),
  family(
    "attempts",
    keys.attemptsKey(sellerId, mode, { kind: "endpoint", value: endpointId }),
    "set by id",
    "ids of its attempts",
  ),
]

/** The families of a partition, which its sellers share; `whose` names it. */
const partitionFamilies = (partition: number, whose: string): ReadonlyArray<KeyFamily> => {
  const tag = keys.partitionTag(partition)
  return [
    family(
      "transaction",
      patternOf("txn_", partition, keys.transactionKey),
      "hash",
      `one transaction of a seller of ${whose}`,
    ),
    family(
      "PIX key",
      patternOf("pk_", partition, keys.pixKeyKey),
      "hash",
      `one PIX key of a seller of ${whose}; its value is ciphertext`,
    ),
    ...modes.flatMap((mode) =>
      pixKeyStatuses.map((status) =>
        family(
          "PIX keys of all sellers",
          keys.partitionPixKeysKey(tag, mode, status),
          "set by id",
          `ids of the ${mode} PIX keys of ${whose} that are ${status}`,
        ),
      ),
    ),
    ...moneyFamiliesOfPartition(partition, whose),
    ...inboxFamiliesOfPartition(partition, whose),
    family(
      "destination",
      patternOf("we_", partition, keys.destinationKey),
      "hash",
      `one endpoint, postback or tracker of ${whose}`,
    ),
    family(
      "statistics",
      patternOf("we_", partition, keys.endpointStatsKey),
      "hash",
      `attempts and successes per hour of one endpoint of ${whose}`,
    ),
    family("queue", `${keys.queuePrefix(tag)}*`, "set by time", `events owed to one destination of ${whose}`),
    family(
      "delivery",
      `${keys.deliveryPrefix(tag)}*`,
      "hash",
      `one event owed to one destination of ${whose}`,
    ),
    family(
      "attempt",
      patternOf("whd_", partition, keys.attemptKey),
      "hash",
      `one delivery attempt of a seller of ${whose}`,
    ),
    family(
      "api key",
      keys.apiKeyKey(partition, "*"),
      "hash",
      `one API key of a seller of ${whose}, by its SHA-256 in base64url`,
    ),
    family(
      "due",
      keys.dueKey(tag),
      "set by time",
      `destinations of ${whose}, by the time something is due (ms)`,
    ),
    family("timers", keys.timersKey(tag), "set by time", `timers of ${whose}, by the time they fire (ms)`),
    family(
      "wake-ups",
      keys.wakeChannel(tag),
      "channel",
      `announces that something of ${whose} is due earlier than expected`,
    ),
    family(
      "rate limit",
      keys.rateKey(partition, "*"),
      "string",
      `when a token bucket in ${whose} is full again (ms)`,
    ),
    family("sellers", keys.sellersKey(partition), "set by id", `ids of the sellers of ${whose}`),
    family("owner", keys.ownerKey(partition), "string", `the process that runs ${whose}`),
  ]
}

/** The families of every partition, as patterns. */
const allPartitionFamilies = (): ReadonlyArray<KeyFamily> =>
  partitionFamilies(0, "one partition").map((found) => ({
    ...found,
    key: found.key.replace(keys.partitionTag(0), "{p*}"),
  }))

/** Every key family of a seller, with the keys of its endpoints. */
export const sellerFamilies = (
  sellerId: string,
  endpoints: ReadonlyArray<{ readonly id: string; readonly mode: Mode }>,
): ReadonlyArray<KeyFamily> => [
  family("seller", keys.sellerKey(sellerId), "hash", "the seller; secrets are ciphertext"),
  ...modeFamilies(sellerId),
  ...endpoints.flatMap(({ id, mode }) => endpointFamilies(sellerId, mode, id)),
  family("clock", keys.clockKey(sellerId), "string", "how far its test clock is ahead (ms)"),
  family("streams", keys.streamsKey(sellerId), "hash", "its open SSE streams and their processes"),
  ...partitionFamilies(keys.partitionOf(sellerId), "its partition"),
]

/** The key families that belong to no seller, and those of all partitions. */
export const globalFamilies = (): ReadonlyArray<KeyFamily> => [
  family("changed sellers", keys.sellersChannel, "channel", "announces changes of sellers' records"),
  family("processes", keys.processesKey, "set by time", "live processes, by their last heartbeat (ms)"),
  family(
    "encryption sample",
    keys.encryptionSampleKey,
    "string",
    "a sample encrypted with the ENCRYPTION_KEY in use",
  ),
  family(
    "service address",
    keys.serviceAddressKey,
    "string",
    "the running service's address, for mailed links",
  ),
  family("mail", keys.mailKey, "stream", "mails kept because SMTP_URL is not set"),
  ...accountFamilies(),
  family("audit", keys.auditKey, "stream", "actions of operators"),
  ...allPartitionFamilies(),
]
