import { Clock, Effect } from "effect"
import { DocumentSealer } from "../../../actors/ports/documentSealer.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { chargeIdIn } from "../../../actors/values/storedCharge.ts"
import { type Feed, modes, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { partitionsInUse } from "../../audit/partitionAudit.ts"
import { readIds } from "../../audit/reads.ts"
import { eraseText } from "../../store/erasure/eraseText.ts"
import * as keys from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { storedDocument, withoutCustomer, withoutExcerpt } from "./erasedCustomer.ts"
import { eraseFromEvents } from "./eraseFromEvents.ts"

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
    const erasure = { hash, field: "document", expected, replacement, chargeId } as const
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
    yield* client.call("ZADD", [erasing, "XX", ...changed.flatMap((chargeId) => [nowMillis, chargeId])])
  }
  let deliveryAttempts = 0
  for (const chargeId of chargeIds) deliveryAttempts += yield* eraseAnswers(feed, chargeId)
  yield* client.call("ZREMRANGEBYSCORE", [erasing, "(0", nowMillis - limits.deliveryLeaseMillis])
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
