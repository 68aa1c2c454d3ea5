/**
 * Ids that route themselves (`docs/decisions/0004-partitions-and-ids-that-route-themselves.md`).
 *
 * An id is a prefix and 26 characters of Crockford base32: 10 of time (ms, so ids sort by age), 2 of partition, 14
 * random. The partition in the id determines its Redis slot. Event ids are not random: they encode the stream entry.
 */

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const decodeTable = new Map([...alphabet].map((character, value) => [character, value]))
const partitionsMax = 32 * 32

/** Live and test data are separate (`docs/contract/README.md#modes`). */
export const modes = ["live", "test"] as const
export type Mode = (typeof modes)[number]

export type IdPrefix =
  | "txn_"
  | "wd_"
  | "rfd_"
  | "exc_"
  | "whd_"
  | "we_"
  | "pk_"
  | "ses_"
  | "key_"
  | "sel_"
  | "inv_"
  | "inb_"
  | "blk_"
  | "plk_"
  | "rpt_"
  | "note_"
  | "mem_"
  | "cus_"
  | "le_"
  | "req_"

/** All two characters: ten bits at a time take a third of the time that five bits do. */
const pairs = Array.from({ length: 1024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`)

/** Four characters of the lower 20 bits. */
const encodeFour = (value: number): string => `${pairs[(value >>> 10) & 1023]}${pairs[value & 1023]}`

/** Six characters of the lower 30 bits. */
const encodeSix = (value: number): string => `${pairs[(value >>> 20) & 1023]}${encodeFour(value)}`

const decodeNumber = (text: string): number => {
  let value = 0
  for (const character of text) {
    const digit = decodeTable.get(character)
    if (digit === undefined) return Number.NaN
    value = value * 32 + digit
  }
  return value
}

/** The 10 characters that encode a time in milliseconds; sorts as the time does. */
export const encodeTime = (millis: number): string => {
  const high = Math.floor(millis / 2 ** 20)
  return encodeSix(high) + encodeFour(millis % 2 ** 20)
}

/** The two characters that name a partition (0..1023). */
export const encodePartition = (partition: number): string => pairs[partition & 1023] ?? ""

/** The partition that two characters encode, or NaN. */
export const decodePartition = (text: string): number => decodeNumber(text)

/** 14 characters of the lower five bits of as many bytes. */
export const encodeTail = (bytes: Uint8Array): string => {
  let tail = ""
  for (let i = 0; i < 14; i += 2) tail += pairs[(((bytes[i] ?? 0) & 31) << 5) | ((bytes[i + 1] ?? 0) & 31)]
  return tail
}

/** A new id of the given kind. `random` holds at least 14 random bytes. */
export const makeId = (prefix: IdPrefix, millis: number, partition: number, random: Uint8Array): string =>
  prefix + encodeTime(millis) + encodePartition(partition) + encodeTail(random)

const noDigit = 255
/** The values of the alphabet's characters, by their codes. */
const digitByCode = new Uint8Array(128).fill(noDigit)
for (const [value, character] of [...alphabet].entries()) digitByCode[character.charCodeAt(0)] = value
const digitAt = (text: string, at: number): number => digitByCode[text.charCodeAt(at)] ?? noDigit

const bodyLength = 26

/** Whether the 26 characters of an id, and nothing else, follow from `start`. Every request asks this several times. */
const isBodyAt = (text: string, start: number): boolean => {
  // 130 bits are two more than an id has.
  if (text.length !== start + bodyLength || digitAt(text, start) > 7) return false
  for (let at = start + 1; at < text.length; at++) if (digitAt(text, at) === noDigit) return false
  return true
}

/** Whether `id` has the form of an id with this prefix; it need not exist. */
export const isId = (prefix: string, id: string): boolean =>
  id.startsWith(prefix) && isBodyAt(id, prefix.length)

/** The partition encoded in an id, or undefined if the id is malformed. */
export const partitionOfId = (id: string): number | undefined => {
  const start = id.indexOf("_") + 1
  if (!isBodyAt(id, start)) return undefined
  return (digitAt(id, start + 10) << 5) | digitAt(id, start + 11)
}

/** The creation time in ms encoded in an id; NaN if the id is malformed. */
export const timeOfId = (id: string): number => {
  const start = id.indexOf("_") + 1
  return isBodyAt(id, start) ? decodeNumber(id.slice(start, start + 10)) : Number.NaN
}

/** The 20 bits of four characters. */
const bitsAt = (text: string, at: number): number =>
  (digitAt(text, at) << 15) |
  (digitAt(text, at + 1) << 10) |
  (digitAt(text, at + 2) << 5) |
  digitAt(text, at + 3)

/**
 * Writes the 128 bits of an id's 26 characters to the first 16 bytes of `bytes`. Of the 10 bits of the first two characters two are
 * always zero; any eight have 40 bits, which are five bytes.
 */
export const writeIdBytes = (id: string, bytes: Uint8Array): void => {
  const start = id.indexOf("_") + 1
  bytes[0] = (digitAt(id, start) << 5) | digitAt(id, start + 1)
  let byte = 1
  for (let at = start + 2; at < start + 26; at += 8) {
    const high = bitsAt(id, at)
    const low = bitsAt(id, at + 4)
    bytes[byte] = high >> 12
    bytes[byte + 1] = high >> 4
    bytes[byte + 2] = (high << 4) | (low >> 16)
    bytes[byte + 3] = low >> 8
    bytes[byte + 4] = low
    byte += 5
  }
}

const idBytes = new Uint8Array(16)
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** The 128 bits of an id's 26 characters, as 32 lowercase hexadecimal characters. */
export const hexOfId = (id: string): string => {
  writeIdBytes(id, idBytes)
  let hex = ""
  for (let at = 0; at < idBytes.length; at++) hex += hexOfByte[idBytes[at] ?? 0]
  return hex
}

/** The id of 128 bits, as {@link hexOfId} writes them: 32 hexadecimal characters. */
export const idOfHex = (prefix: IdPrefix, hex: string): string => {
  let rest = BigInt(`0x${hex}`)
  let body = ""
  for (let i = 0; i < 26; i++) {
    body = alphabet[Number(rest & 31n)] + body
    rest >>= 5n
  }
  return prefix + body
}

/** A seller's event feed: one stream per seller and mode. */
export interface Feed {
  readonly sellerId: string
  readonly mode: Mode
}

/** What the ids of a seller's events have in common: the partition's characters and, by mode, the feed's tag. */
interface FeedParts extends Record<Mode, string> {
  readonly partition: string
}

const partsOf = (sellerId: string): FeedParts => {
  const known = parts.get(sellerId)
  if (known !== undefined) return known
  const made = {
    partition: encodePartition(partitionOfId(sellerId) ?? 0),
    live: computeTag(`${sellerId}:live`),
    test: computeTag(`${sellerId}:test`),
  }
  if (parts.size >= partsMax) parts.clear()
  parts.set(sellerId, made)
  return made
}

/** Computed parts, for code that reads or writes many events of a feed; computing them takes a microsecond. */
const parts = new Map<string, FeedParts>()
const partsMax = 1_000

/** 55 bits derived from the feed's name: they tell an id of another feed without asking the store. */
const feedTag = (feed: Feed): string => partsOf(feed.sellerId)[feed.mode]

/** FNV-1a of 32 bits over UTF-16 units, from a seed. */
const hash32 = (text: string, seed: number): number => {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

const computeTag = (name: string): string => {
  const [first, second] = [hash32(name, 0x811c9dc5) >>> 2, hash32(name, 0x01000193) >>> 7]
  return `${encodeSix(first)}${alphabet[second >>> 20]}${encodeFour(second)}`
}

/**
 * The event id of a stream entry: time (10), partition (2), sequence within the millisecond (3), feed tag (11).
 * `entryId` is Redis' `<ms>-<seq>`.
 */
export const eventIdOf = (feed: Feed, entryId: string): string => {
  const dash = entryId.indexOf("-")
  const millis = Number(entryId.slice(0, dash))
  const sequence = Number(entryId.slice(dash + 1))
  const { partition, [feed.mode]: tag } = partsOf(feed.sellerId)
  return `evt_${encodeTime(millis)}${partition}${alphabet[(sequence >>> 10) & 31]}${pairs[sequence & 1023]}${tag}`
}

/** The stream entry an event id refers to, or undefined if the id is malformed or belongs to another feed. */
export const entryIdOf = (feed: Feed, eventId: string): string | undefined => {
  if (!isId("evt_", eventId)) return undefined
  const body = eventId.slice(4)
  if (body.slice(15) !== feedTag(feed)) return undefined
  if (decodeNumber(body.slice(10, 12)) !== partitionOfId(feed.sellerId)) return undefined
  return `${decodeNumber(body.slice(0, 10))}-${decodeNumber(body.slice(12, 15))}`
}

/** The id of a ledger entry: like `eventIdOf`, for the ledger of the seller and mode. */
export const ledgerEntryIdOf = (feed: Feed, entryId: string): string =>
  `le_${eventIdOf(feed, entryId).slice(4)}`

/** What ids of a feed's customers begin with: a zero, since an id has 128 bits, nine characters of the feed's tag, and the partition. */
const customerHead = (feed: Feed): string =>
  `cus_0${feedTag(feed).slice(0, 9)}${partsOf(feed.sellerId).partition}`

/** The id of a customer, by the 14 characters that its seller's charges name it with (`docs/contract/customers.md#ids`). */
export const customerIdOf = (feed: Feed, digest: string): string => customerHead(feed) + digest

/** The characters that charges name a customer with, or undefined if the id is malformed or belongs to another feed. */
export const customerDigestOf = (feed: Feed, customerId: string): string | undefined => {
  const head = customerHead(feed)
  return isId("cus_", customerId) && customerId.startsWith(head) ? customerId.slice(head.length) : undefined
}

/**
 * The id of a withdrawal's payout at the acquirer (`idEnvio`): the withdrawal's ULID
 * (`docs/contract/withdrawals.md#payout`).
 */
export const payoutIdOf = (withdrawalId: string): string => withdrawalId.slice(3)

/** The withdrawal of a payout id, or undefined if the id is not ours. */
export const withdrawalIdOfPayout = (payoutId: string): string | undefined => {
  const id = `wd_${payoutId}`
  return isId("wd_", id) ? id : undefined
}

/**
 * The id of a refund at the acquirer: the refund's ULID, 26 characters of the 35 that the acquirer allows
 * (`docs/contract/refunds.md#live`).
 */
export const acquirerRefundIdOf = (refundId: string): string => refundId.slice(4)

/** The refund of an acquirer's id, or undefined if the id has not the form of ours; the refund need not exist. */
export const refundIdOfAcquirer = (acquirerRefundId: string): string | undefined => {
  const id = `rfd_${acquirerRefundId}`
  return isId("rfd_", id) ? id : undefined
}

const apiKeyPattern = /^sk_(live|test)_([A-Za-z0-9_-]{43})$/

/** The mode and partition that the text of an API key reveals (`docs/contract/api-keys.md#format`). */
export const parseApiKey = (
  text: string,
): { readonly mode: Mode; readonly partition: number } | undefined => {
  const match = apiKeyPattern.exec(text)
  if (match === null) return undefined
  const partition = decodeNumber((match[2] ?? "").slice(0, 2))
  if (Number.isNaN(partition) || partition >= partitionsMax) return undefined
  return { mode: match[1] as Mode, partition }
}

/** The text of a new API key. `random` holds at least 41 random bytes. */
export const makeApiKey = (mode: Mode, partition: number, random: Uint8Array): string => {
  const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  let tail = ""
  for (let i = 0; i < 41; i++) tail += base64url[(random[i] ?? 0) & 63]
  return `sk_${mode}_${encodePartition(partition)}${tail}`
}

/**
 * The Pix txid of a transaction: 32 characters `[a-zA-Z0-9]`, 26 of the id and 6 of a checksum. A repeated request
 * uses the same txid (`docs/architecture.md#rule-7`), and a notice that names a txid names its
 * transaction.
 */
export const txidOf = (transactionId: string): string =>
  transactionId.slice(4) + encodeSix(hash32(transactionId, 0x811c9dc5) >>> 2)

/** The transaction of a txid, or undefined if the txid is not ours. */
export const transactionIdOfTxid = (txid: string): string | undefined => {
  const id = `txn_${txid.slice(0, 26)}`
  return isId("txn_", id) && txidOf(id) === txid ? id : undefined
}
