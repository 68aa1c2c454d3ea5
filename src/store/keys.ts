import { hash } from "node:crypto"
import type { Feed, Mode } from "../../schema/ids.ts"
import { decodePartition, partitionOfId } from "../../schema/ids.ts"

/**
 * Every key and channel name of the service, and nothing else. All keys of one seller have its partition's tag `{pNN}`, so
 * that one commit touches one slot (docs/architecture.md#rule-3). docs/redis-keys.md lists the same names.
 */

/** `{p07}`: the hash tag of a partition. */
export const partitionTag = (partition: number): string => tags[partition] ?? makeTag(partition)
const makeTag = (partition: number): string => `{p${String(partition).padStart(2, "0")}}`
const tags = Array.from({ length: 1024 }, (_, partition) => makeTag(partition))

/** The partition that an id names. A malformed id gets 0, where it finds nothing. */
export const partitionOf = (id: string): number => partitionOfId(id) ?? 0

/** The tag of the partition that an id names. A malformed id finds nothing in partition 0. */
export const tagOf = (id: string): string => partitionTag(partitionOf(id))

/** The tag of a destination: endpoints have ids; postbacks and trackers start with the partition's two characters. */
export const tagOfDestination = (id: string): string =>
  id.startsWith("we_") ? tagOf(id) : partitionTag(decodePartition(id.slice(3, 5)) || 0)

/**
 * A key moved to a partition. The keys of a function must all be in one partition; callers may send an id of another one,
 * which then finds nothing.
 */
export const keyWithin = (tag: string, key: string): string =>
  key.startsWith(tag, key.indexOf("{")) ? key : key.replace(/\{[^}]*\}/, tag)

/** Hash: an API key. */
export const apiKeyKey = (partition: number, keyHash: string): string =>
  `apikey:${partitionTag(partition)}:${keyHash}`

/** Hash: a seller's record. */
export const sellerKey = (sellerId: string): string => `seller:${tagOf(sellerId)}:${sellerId}`

/** Hash: a charge. */
export const transactionKey = (id: string): string => transactionPrefix(tagOf(id)) + id

/** Sorted set, all scores 0: a seller's charge ids, sorted by age; one for all and one a status. */
export const transactionsKey = (sellerId: string, mode: Mode, status?: string): string =>
  `txns:${tagOf(sellerId)}:${sellerId}:${mode}${status === undefined ? "" : `:${status}`}`

/** Hash: what an `Idempotency-Key` holds. */
export const idempotencyKey = (sellerId: string, mode: Mode, route: string, key: string): string =>
  `idem:${tagOf(sellerId)}:${sellerId}:${mode}:${route}:${key}`

/** Stream: every event of a feed, whole. */
export const eventsKey = (feed: Feed): string =>
  `events:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** Hash: a feed's `seq` and newest entry. */
export const feedKey = (feed: Feed): string => `feed:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** Channel: an event was appended to a feed, or a credential of its streams was revoked. */
export const feedChannel = (feed: Feed): string =>
  `hint:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** The feed of a hint channel; undefined for another channel. */
export const feedOfChannel = (channel: string): Feed | undefined => {
  const [kind, , sellerId, mode] = channel.split(":")
  if (kind !== "hint" || sellerId === undefined) return undefined
  return { sellerId, mode: mode === "live" ? "live" : "test" }
}

/** Hash: destination id -> its event types, of a mode's enabled endpoints and tracker. Fan-out reads it. */
export const subscriptionsKey = (feed: Feed): string =>
  `subscriptions:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** Sorted set, all scores 0: ids of a mode's endpoints that are not deleted. */
export const endpointsKey = (feed: Feed): string =>
  `endpoints:${tagOf(feed.sellerId)}:${feed.sellerId}:${feed.mode}`

/** Hash: an endpoint, a postback or a tracker. */
export const destinationKey = (id: string): string => `destination:${tagOfDestination(id)}:${id}`

/** Sorted set: entry ids owed to a destination, by due time. */
export const queueKey = (destinationId: string): string =>
  `queue:${tagOfDestination(destinationId)}:${destinationId}`

/** The prefix of `queueKey`, for functions that build its names. */
export const queuePrefix = (tag: string): string => `queue:${tag}:`

/** Prefixes of keys for functions that build their names. */
export const transactionPrefix = (tag: string): string => `txn:${tag}:`
export const clockPrefix = (tag: string): string => `clock:${tag}:`
export const deliveryPrefix = (tag: string): string => `delivery:${tag}:`
export const eventsPrefix = (tag: string): string => `events:${tag}:`
export const sellerPrefix = (tag: string): string => `seller:${tag}:`

/** Hash: one event owed to one destination, from its first claim on. */
export const deliveryKey = (destinationId: string, entryId: string): string =>
  `delivery:${tagOfDestination(destinationId)}:${destinationId}:${entryId}`

/** Hash: one attempt's row and detail. */
export const attemptKey = (deliveryId: string): string => `attempt:${tagOf(deliveryId)}:${deliveryId}`

/** Sorted sets, all scores 0: a seller's attempt ids by age: all, and one per endpoint, event and status. */
export const attemptsKey = (
  sellerId: string,
  mode: Mode,
  by?: { readonly kind: "endpoint" | "event" | "status"; readonly value: string },
): string =>
  `attempts:${tagOf(sellerId)}:${sellerId}:${mode}${by === undefined ? "" : `:${by.kind}:${by.value}`}`

/** Sorted set: destinations of a partition by the time something is due there. */
export const dueKey = (tag: string): string => `due:${tag}`

/** Sorted set: timers of a partition (`<resource id>:<name>`) by due time. */
export const timersKey = (tag: string): string => `timers:${tag}`

/** Channel: ids of sellers whose record has changed. */
export const sellersChannel = "sellers-changed"

/** Channel: a partition has something due earlier than its process may know. */
export const wakeChannel = (tag: string): string => `wake:${tag}`

/** The partition of a wake channel; undefined for another channel. */
export const partitionOfWakeChannel = (channel: string): number | undefined => {
  const match = /^wake:\{p(\d+)\}$/.exec(channel)
  return match === null ? undefined : Number(match[1])
}

/** String: the process that runs a partition's timers and deliveries. */
export const ownerKey = (partition: number): string => `owner:${partitionTag(partition)}`

/** String: when a token bucket is full again. */
export const rateKey = (partition: number, name: string): string => `rate:${partitionTag(partition)}:${name}`

/** Hash: connection -> process, of a seller's open SSE streams. */
export const streamsKey = (sellerId: string): string => `streams:${tagOf(sellerId)}:${sellerId}`

/** Sorted set: live processes by their last heartbeat. */
export const processesKey = "processes"

/** Sorted set, all scores 0: the seller ids of a partition, sorted by age. */
export const sellersKey = (partition: number): string => `sellers:${partitionTag(partition)}`

/** Hash: key id -> SHA-256 of the key, of a seller's keys of a mode that are not revoked. */
export const apiKeysKey = (sellerId: string, mode: Mode): string =>
  `apikeys:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Hash: an endpoint's attempts and successes per hour, without pings. */
export const endpointStatsKey = (endpointId: string): string =>
  `stats:${tagOfDestination(endpointId)}:${endpointId}`

/** String: a seller's counters in a mode, cached. */
export const countersKey = (sellerId: string, mode: Mode): string =>
  `counters:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Hash: a seller's buckets in a mode, counts of the ledger entries, and the open withdrawal (`open`). */
export const balanceKey = ({ sellerId, mode }: Feed): string =>
  `balance:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Stream: all movements of a seller's money in a mode, never trimmed. */
export const ledgerKey = ({ sellerId, mode }: Feed): string => `ledger:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Hash: a withdrawal. */
export const withdrawalKey = (id: string): string => `wd:${tagOf(id)}:${id}`

/** Sorted set, all scores 0: a seller's withdrawal ids, sorted by age; one for all and one a status. */
export const withdrawalsKey = (sellerId: string, mode: Mode, status?: string): string =>
  `wds:${tagOf(sellerId)}:${sellerId}:${mode}${status === undefined ? "" : `:${status}`}`

/** Sorted set, all scores 0: a partition's withdrawals in a status, of all sellers. Operators list them. */
export const partitionWithdrawalsKey = (tag: string, mode: Mode, status: string): string =>
  `wds-all:${tag}:${mode}:${status}`

/** Hash: the totals of a day's withdrawals (`value`, `count`). */
export const withdrawalDayKey = ({ sellerId, mode }: Feed, day: string): string =>
  `wd-day:${tagOf(sellerId)}:${sellerId}:${mode}:${day}`

/** Hash: a PIX key. */
export const pixKeyKey = (id: string): string => `pk:${tagOf(id)}:${id}`

/** Sorted set, all scores 0: a seller's PIX key ids, sorted by age; one for all and one a status. */
export const pixKeysKey = (sellerId: string, mode: Mode, status?: string): string =>
  `pks:${tagOf(sellerId)}:${sellerId}:${mode}${status === undefined ? "" : `:${status}`}`

/** Hash: keyed hash of a PIX key's value -> its id, of a seller's pending and verified keys. */
export const pixKeyValuesKey = ({ sellerId, mode }: Feed): string =>
  `pk-values:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Sorted set, all scores 0: a partition's PIX keys in a status, of all sellers. Operators list them. */
export const partitionPixKeysKey = (tag: string, mode: Mode, status: string): string =>
  `pks-all:${tag}:${mode}:${status}`

/** The prefix of `noticeKey`, for functions that build its names. */
export const noticePrefix = (tag: string): string => `inb:${tag}:`

/** Hash: an acquirer's notice. */
export const noticeKey = (id: string): string => noticePrefix(tagOf(id)) + id

/** Sorted set, all scores 0: a partition's notice ids by age: all, open, processed, or with a bad signature. */
export const noticesKey = (tag: string, kind?: "unprocessed" | "done" | "unsigned"): string =>
  `inbox:${tag}${kind === undefined ? "" : `:${kind}`}`

/** Hash: the bytes of a partition's correctly signed notices by id, and the sums `open` and `done`. */
export const inboxBytesKey = (tag: string): string => `inbox-bytes:${tag}`

/** String: the first notice of an acquirer's event. */
export const noticeSeenKey = (tag: string, acquirerSlug: string, providerEventId: string): string =>
  `inbox-seen:${tag}:${acquirerSlug}:${providerEventId}`

/** String: how far a seller's test clock is ahead, in ms. */
export const clockKey = (sellerId: string): string => clockPrefix(tagOf(sellerId)) + sellerId

/** Sorted set: a seller's postback destinations by when one was last owed a delivery, and deleted endpoints by deletion time. */
export const postbacksKey = ({ sellerId, mode }: Feed): string =>
  `postbacks:${tagOf(sellerId)}:${sellerId}:${mode}`

/** How many slots accounts are spread over. It never changes, since e-mail addresses must keep finding their account. */
const accountSlots = 1024

/**
 * `{u7}`: the hash tag of an account slot. A user, its sessions, tokens and invite are in the slot of its e-mail address, so
 * that sign-up is one commit; the seller's keys are in its partition (docs/decisions/0017-account-slots.md).
 */
export const accountTag = (slot: number): string => `{u${slot}}`

/** The SHA-256 of an e-mail address in lower case, in hex: key names contain no address. */
const emailHash = (email: string): string => hash("sha256", email.toLowerCase())

/** The slot of an e-mail address: the first ten bits of its hash. */
export const accountSlotOfEmail = (email: string): number =>
  Number.parseInt(emailHash(email).slice(0, 3), 16) % accountSlots

/** The slot that a user's uuid names in its last three digits ({@link userIdInSlot}). */
export const accountSlotOfUser = (userId: string): number =>
  Number.parseInt(userId.slice(-3), 16) % accountSlots

/** `uuid` with last digits that name a slot. */
export const userIdInSlot = (uuid: string, slot: number): string =>
  uuid.slice(0, -3) +
  ((Number.parseInt(uuid.slice(-3, -2), 16) & 0xc) * 256 + slot).toString(16).padStart(3, "0")

/** String: the id of an e-mail address' user. `printf %s ana@example.com | sha256sum` prints the hash in its name. */
export const userEmailKey = (email: string): string =>
  `user-email:${accountTag(accountSlotOfEmail(email))}:${emailHash(email)}`

/** Hash: a user's record. */
export const userKey = (userId: string): string => `user:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** The prefix of `sessionKey`, for functions that build its names. */
export const sessionPrefix = (slot: number): string => `session:${accountTag(slot)}:`

/** Hash: a session, by the SHA-256 of its token. */
export const sessionKey = (slot: number, tokenHash: string): string => sessionPrefix(slot) + tokenHash

/** Sorted set: hashes of a user's session tokens by their expiry in ms. */
export const sessionsKey = (userId: string): string =>
  `sessions:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** Sorted set: addresses (of IPv6 the /64) that a user has signed in from, by the time of the last sign-in in ms. */
export const knownAddressesKey = (userId: string): string =>
  `known-addresses:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** Set: hashes of a user's unused backup codes. */
export const backupCodesKey = (userId: string): string =>
  `backup-codes:${accountTag(accountSlotOfUser(userId))}:${userId}`

/** Hash: a single-use token (email verification, reset, recovery, second step of a sign-in), by its SHA-256. */
export const tokenKey = (slot: number, tokenHash: string): string => `token:${accountTag(slot)}:${tokenHash}`

/** Hash: an invite to sign up. */
export const inviteKey = (inviteId: string): string =>
  `invite:${accountTag(partitionOf(inviteId))}:${inviteId}`

/** Sorted set, all scores 0: all invite ids, sorted by age. */
export const invitesKey = "invites"

/** String: the address in mailed links: PUBLIC_URL, or where the service listens. */
export const serviceAddressKey = "service-address"

/** Stream: operators' actions (docs/contract/admin.md#audit-log). */
export const auditKey = "audit"

/** Stream: mails, if SMTP_URL is not set (docs/contract/accounts.md#mail). */
export const mailKey = "mail"

/** String: a sample sealed with the `ENCRYPTION_KEY` that this Redis was first used with. */
export const encryptionSampleKey = "encryption-sample"
