import { hash } from "node:crypto"
import { foldAddress } from "../../actors/values/emailAddress.ts"
import { decodePartition, partitionOfId } from "../../schema/ids.ts"

/** `{p07}`: the hash tag of a partition. */
export const partitionTag = (partition: number): string => tags[partition] ?? makeTag(partition)
const makeTag = (partition: number): string => `{p${String(partition).padStart(2, "0")}}`
const tags = Array.from({ length: 1024 }, (_, partition) => makeTag(partition))

/** The partition whose tag is in a key or channel; undefined where there is none. */
export const partitionOfTagIn = (name: string): number | undefined => {
  const digits = /\{p(\d{2,4})\}/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

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

/** How many slots accounts are spread over. It never changes, since e-mail addresses must keep finding their account. */
const accountSlots = 1024

/**
 * `{u7}`: the hash tag of an account slot. A user, its sessions, tokens and invite are in the slot of its e-mail address, so
 * that sign-up is one commit; the seller's keys are in its partition (docs/accounts.md#where-accounts-live).
 */
export const accountTag = (slot: number): string => `{u${slot}}`

/** All tags of partitions, accounts and claimed Pix that lie in a slot. Other keys but the service's address share no slot with one. */
export const tagsOfSlot = (slot: number, slotOf: (key: string) => number): ReadonlyArray<string> =>
  [
    ...tags,
    ...Array.from({ length: accountSlots }, (_, account) => accountTag(account)),
    ...Array.from({ length: 256 }, (_, digest) => `{c${digest.toString(16).padStart(2, "0")}}`),
  ].filter((tag) => slotOf(tag) === slot)

/** The SHA-256 of a folded e-mail address, in hex: key names contain no address. */
export const emailHash = (email: string): string => hash("sha256", foldAddress(email))

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

/**
 * `{c7f}`: the hash tag of received Pix whose end-to-end id has these first eight bits of its SHA-256, so that the id alone finds
 * the claim, whatever `PARTITIONS` is.
 */
export const claimsTag = (endToEndId: string): string => `{c${hash("sha256", endToEndId).slice(0, 2)}}`
