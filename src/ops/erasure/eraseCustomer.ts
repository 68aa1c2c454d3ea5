import { randomBytes } from "node:crypto"
import { Array as Arr, Clock, Effect } from "effect"
import { parseAttemptDetail } from "../../../actors/endpoint/attemptPlan.ts"
import type { EventEntry } from "../../../actors/ports/eventLog.ts"
import { DocumentSealer, SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { erasedEmail } from "../../../actors/values/chargeLookups.ts"
import { type SealedPlace, sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { chargeIdIn, parseCharge } from "../../../actors/values/storedDocuments.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { type Feed, modes, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { partitionsInUse } from "../../audit/partitionAudit.ts"
import { readIds } from "../../audit/reads.ts"
import { sumsIn } from "../../store/customers.ts"
import { copyEvents, eraseText, swapEvents } from "../../store/erasure.ts"
import { readEntries } from "../../store/events.ts"
import * as keys from "../../store/keys.ts"
import { writeKey } from "../../store/partitions.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"

/** What stands for an erased customer. Each is a value that the contract allows. */
export const placeholders = {
  name: "erased",
  email: erasedEmail,
  document: "00000000000",
  phone: "erased",
} as const

/** The sealed or plain document of the customer in a stored charge: the first `document`, as a text's quotes are escaped. */
const storedDocument = (text: string): string | undefined => /"document":"([^"\\]*)"/.exec(text)?.[1]

/** Whether a stored charge's customer was replaced before. */
const isErased = (text: string): boolean =>
  text.includes(`"customer":{"name":"${placeholders.name}","email":"${placeholders.email}","document":"`)

/** A stored charge with placeholders for its customer; all else is the same, byte for byte. */
const withoutCustomer = (text: string, seal: (document: string, place: SealedPlace) => string): string => {
  const charge = parseCharge(text)
  const customer: Transaction["customer"] = {
    name: placeholders.name,
    email: placeholders.email,
    document: seal(placeholders.document, sealedPlaces.customerDocument(charge.id)),
    phone: charge.customer.phone === null ? null : placeholders.phone,
  }
  return JSON.stringify({ ...charge, customer })
}

/** The detail of an attempt without what its receiver answered; undefined if there is nothing to replace. */
const withoutExcerpt = (text: string): string | undefined => {
  const detail = parseAttemptDetail(text)
  return detail.response_body_excerpt === null
    ? undefined
    : JSON.stringify({ ...detail, response_body_excerpt: null })
}

/** The entries of a feed after one ("" begins), oldest first. */
const readPage = Effect.fnUntraced(function* (feed: Feed, afterEntryId: string) {
  const client = yield* RedisClient
  const from = afterEntryId === "" ? "-" : `(${afterEntryId}`
  return readEntries(
    yield* client.call("XRANGE", [keys.eventsKey(feed), from, "+", "COUNT", limits.erasurePageEntries]),
  )
})

const shows = (entry: EventEntry, charges: ReadonlySet<string>): boolean =>
  charges.has(entry.resourceId) && !isErased(entry.data)

/** How many kept events show the customer of one of the charges. */
const countShown = Effect.fnUntraced(function* (feed: Feed, charges: ReadonlySet<string>) {
  let shown = 0
  let last = ""
  while (true) {
    const page = yield* readPage(feed, last)
    shown += page.filter((entry) => shows(entry, charges)).length
    if (page.length < limits.erasurePageEntries) return shown
    last = page.at(-1)?.entryId ?? last
  }
})

/** Copies what follows `last` to the copy of a run, customers replaced; returns the last entry copied. */
const copyOn = Effect.fnUntraced(function* (
  feed: Feed,
  run: string,
  charges: ReadonlySet<string>,
  copied: string,
) {
  const client = yield* RedisClient
  const { seal } = yield* DocumentSealer
  let last = copied
  while (true) {
    const page = yield* readPage(feed, last)
    const [first, end] = [page[0], page.at(-1)]
    if (first === undefined || end === undefined) return last
    const replaced = page.filter((entry) => shows(entry, charges))
    const data = new Map(replaced.map((entry) => [entry.entryId, withoutCustomer(entry.data, seal)]))
    yield* copyEvents(client)(feed, run, { first: first.entryId, last: end.entryId }, data)
    last = end.entryId
    if (page.length < limits.erasurePageEntries) return last
  }
})

/** Copies a feed and lets the copy take its place; false if another run was faster. */
const rewrite = Effect.fnUntraced(function* (feed: Feed, charges: ReadonlySet<string>) {
  const client = yield* RedisClient
  const run = randomBytes(8).toString("hex")
  const rewrites = Number((yield* client.call("HGET", [keys.feedKey(feed), "rewrites"])) ?? 0)
  let last = yield* copyOn(feed, run, charges, "")
  while (true) {
    const { kind } = yield* swapEvents(client)(feed, run, { last, rewrites })
    if (kind !== "more") return kind === "swapped"
    last = yield* copyOn(feed, run, charges, last)
  }
})

/**
 * Replaces the customers of charges in the events of their feed, and returns in how many. Entries of a stream cannot be changed,
 * so the feed is copied under the same ids, page by page, and the copy takes its place in one step; events may be appended
 * meanwhile. Events appended after the charges were changed no longer show the customer.
 */
const eraseFromEvents = Effect.fnUntraced(function* (feed: Feed, charges: ReadonlySet<string>) {
  const shown = yield* countShown(feed, charges)
  if (shown === 0) return 0
  for (let tries = 0; tries < limits.decisionsMax; tries++) {
    if (yield* rewrite(feed, charges)) return shown
  }
  return yield* new StoreUnavailable({
    operation: "erase",
    reason: `${keys.eventsKey(feed)} was rewritten by another run each time`,
  })
})

/** How many of each were changed. */
export interface Erased {
  readonly transactions: number
  readonly events: number
  /** Attempts of deliveries whose receiver's answer was dropped: it may repeat what it was sent. */
  readonly deliveryAttempts: number
}

const plus = (left: Erased, right: Erased): Erased => ({
  transactions: left.transactions + right.transactions,
  events: left.events + right.events,
  deliveryAttempts: left.deliveryAttempts + right.deliveryAttempts,
})

const nothing: Erased = { transactions: 0, events: 0, deliveryAttempts: 0 }

/** Runs a step on all ids of an index, page by page. */
const forEachIds = Effect.fnUntraced(function* <E, R>(
  index: string,
  step: (ids: ReadonlyArray<string>) => Effect.Effect<void, E, R>,
) {
  const client = yield* RedisClient
  for (let after = ""; ; ) {
    const ids = yield* readIds(client, index, after)
    if (ids.length > 0) yield* step(ids)
    if (ids.length < limits.auditPageIds) return
    after = ids.at(-1) ?? after
  }
})

/** Replaces the customer of a charge, however often the charge changes meanwhile; false if it is no longer that customer's. */
const eraseCharge = Effect.fnUntraced(function* (
  feed: Feed,
  chargeId: string,
  isTheirs: (document: string) => boolean,
) {
  const client = yield* RedisClient
  const { seal } = yield* DocumentSealer
  const hash = keys.transactionKey(chargeId)
  while (true) {
    const expected = String((yield* client.call("HGET", [hash, "document"])) ?? "")
    if (!isTheirs(expected)) return false
    const replacement = withoutCustomer(expected, seal)
    const charge = { id: chargeId, sums: sumsIn(expected) }
    const erasure = { hash, field: "document", expected, replacement, charge } as const
    if ((yield* eraseText(client)(feed, erasure)).kind === "erased") return true
  }
})

/** Drops what receivers answered to deliveries of a charge's events; returns how many answers. */
const eraseAnswers = Effect.fnUntraced(function* (feed: Feed, chargeId: string) {
  const client = yield* RedisClient
  const events = String((yield* client.call("HGET", [keys.transactionKey(chargeId), "events"])) ?? "")
  let dropped = 0
  for (const value of events.split(" ").filter((entryId) => entryId !== "")) {
    const index = keys.attemptsKey(feed.sellerId, feed.mode, { kind: "event", value })
    const ids = (yield* client.call("ZRANGE", [index, 0, -1])) as ReadonlyArray<string>
    for (const id of ids) {
      const hash = keys.attemptKey(id)
      const expected = yield* client.call("HGET", [hash, "detail"])
      const replacement = expected === null ? undefined : withoutExcerpt(String(expected))
      if (replacement === undefined) continue
      yield* eraseText(client)(feed, { hash, field: "detail", expected: String(expected), replacement })
      dropped += 1
    }
  }
  return dropped
})

/**
 * Finishes what was begun, also by a run before: events and answers of the charges that are being erased. A delivery that was
 * claimed before its event was changed may still record an answer, for as long as its lease. So a charge is done only once a
 * run has looked that long after its events were changed; until then every run looks again.
 */
const finish = Effect.fnUntraced(function* (feed: Feed) {
  const client = yield* RedisClient
  const erasing = keys.erasingKey(feed)
  const begun = (yield* client.call("ZRANGE", [erasing, 0, 0, "BYSCORE"])) as ReadonlyArray<string>
  const chargeIds = (yield* client.call("ZRANGE", [erasing, 0, -1])) as ReadonlyArray<string>
  if (chargeIds.length === 0) return nothing
  const events = yield* eraseFromEvents(feed, new Set(chargeIds))
  const nowMillis = yield* Clock.currentTimeMillis
  const changed = events > 0 ? chargeIds : begun
  if (changed.length > 0) {
    for (const some of Arr.chunksOf(changed, 1_000)) {
      yield* writeKey(client, "ZADD", erasing, "XX", ...some.flatMap((chargeId) => [nowMillis, chargeId]))
    }
  }
  let deliveryAttempts = 0
  for (const chargeId of chargeIds) deliveryAttempts += yield* eraseAnswers(feed, chargeId)
  yield* writeKey(client, "ZREMRANGEBYSCORE", erasing, "(0", nowMillis - limits.deliveryLeaseMillis)
  return { transactions: 0, events, deliveryAttempts }
})

const eraseInFeed = Effect.fnUntraced(function* (feed: Feed, document: string) {
  const client = yield* RedisClient
  const { open } = yield* SecretOpener
  const isTheirs = (text: string): boolean => {
    const stored = storedDocument(text)
    const place = sealedPlaces.customerDocument(chargeIdIn(text) ?? "")
    return stored === document || (stored !== undefined && open(stored, place) === document)
  }
  let transactions = 0
  yield* forEachIds(
    keys.transactionsKey(feed.sellerId, feed.mode),
    Effect.fnUntraced(function* (ids) {
      const texts = yield* client.callAll(
        ids.map((id) => ["HGET", [keys.transactionKey(id), "document"]] as const),
      )
      for (const [i, id] of ids.entries()) {
        if (isTheirs(String(texts[i] ?? "")) && (yield* eraseCharge(feed, id, isTheirs))) transactions += 1
      }
    }),
  )
  return plus({ ...nothing, transactions }, yield* finish(feed))
})

const eraseOfSeller = Effect.fnUntraced(function* (sellerId: string, document: string) {
  let erased = nothing
  for (const mode of modes) erased = plus(erased, yield* eraseInFeed({ sellerId, mode }, document))
  return erased
})

/**
 * Replaces name, e-mail, phone and document of a customer in all charges, events and attempts of a seller, or of all sellers
 * (docs/operations.md#erasing-a-customer). `document` has no punctuation. Amounts, states and times stay. May be repeated: what
 * is erased is not found again, and what a run left unfinished, or was answered since, is finished.
 */
export const eraseCustomer = Effect.fnUntraced(function* (document: string, sellerId: string | undefined) {
  if (sellerId !== undefined) return yield* eraseOfSeller(sellerId, document)
  const client = yield* RedisClient
  let erased = nothing
  for (const partition of yield* partitionsInUse(client)) {
    yield* forEachIds(
      keys.sellersKey(partition),
      Effect.fnUntraced(function* (ids) {
        for (const id of ids) {
          if (partitionOfId(id) === partition) erased = plus(erased, yield* eraseOfSeller(id, document))
        }
      }),
    )
  }
  return erased
})
