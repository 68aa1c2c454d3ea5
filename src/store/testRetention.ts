import { Clock, Effect } from "effect"
import type { TrimmedTestStep } from "../../actors/ports/retention.ts"
import {
  isChargeEnded,
  isWithdrawalEnded,
  mayHaveHeld,
  mayHaveMoved,
} from "../../actors/seller/decisions/endedResources.ts"
import { readException } from "../../actors/seller/decisions/exceptionDocument.ts"
import { timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import { withdrawalTimers } from "../../actors/seller/decisions/withdrawalTransitions.ts"
import { paymentLinkOfCharge } from "../../actors/values/chargeLookups.ts"
import { baseAfter, type LedgerBase } from "../../actors/values/ledgerBase.ts"
import { refundTimers } from "../../actors/values/refundTimers.ts"
import { dayEndMillis } from "../../actors/values/saoPauloDays.ts"
import { parseCharge } from "../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { exceptionKinds } from "../../schema/resources/exception.ts"
import type { RefundStatus } from "../../schema/resources/refund.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import type { WithdrawalStatus } from "../../schema/resources/withdrawal.ts"
import { lookupTermsOf } from "./chargeLookup.ts"
import { readClosings } from "./closings.ts"
import { sumsIn } from "./customers.ts"
import * as keys from "./keys.ts"
import { baseFields, readBase, readLedgerEntries } from "./ledger.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import type { RedisClient, Reply } from "./redis/redisClient.ts"
import { readHash, readKind, words } from "./redis/reply.ts"
import type { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]

/** When a stream's entry was written, in ms. */
const millisOf = (entryId: string): number => Number(entryId.split("-")[0])

/** The entry ids that a hash's `events` names, oldest first. */
const entriesOf = (events: string): ReadonlyArray<string> =>
  events.split(" ").filter((entryId) => entryId !== "")

/** When a resource was created, by its oldest event, in ms. Its id would tell the time of its seller's test clock. */
const beginningMillis = (events: ReadonlyArray<string>): number => millisOf(events[0] ?? "")

const isAfter = (one: string, other: string): boolean => {
  const [millis, sequence] = one.split("-").map(Number)
  const [otherMillis, otherSequence] = other.split("-").map(Number)
  return millis === otherMillis
    ? Number(sequence) > Number(otherSequence)
    : Number(millis) > Number(otherMillis)
}

/** The newest of some entry ids; "0-0" for none. */
const newestOf = (entryIds: ReadonlyArray<string>): string =>
  entryIds.reduce((newest, entryId) => (isAfter(entryId, newest) ? entryId : newest), "0-0")

/** A page of an index of ids, oldest first; `afterId` "" begins. */
const readOldestIds = (client: Client, index: string, afterId: string) =>
  Effect.map(
    client.call("ZRANGE", [
      ...[index, afterId === "" ? "-" : `(${afterId}`, "+"],
      ...["BYLEX", "LIMIT", 0, limits.trimmedTestResourcesMax],
    ]),
    (reply) => reply as ReadonlyArray<string>,
  )

/**
 * The ids of a partition's charges, withdrawals and refunds that open exceptions of test mode are about. Undefined where there are
 * more exceptions of a kind than one look reads.
 */
const resourcesWithExceptions = Effect.fnUntraced(function* (client: Client, partition: number) {
  const tag = keys.partitionTag(partition)
  const max = limits.trimmedTestExceptionsMax
  const pages = yield* client.callAll(
    exceptionKinds.map(
      (kind) => ["ZRANGE", [keys.exceptionsOfKindKey(tag, "open", kind, "test"), 0, max]] as const,
    ),
  )
  const ids = pages.map((page) => (page ?? []) as ReadonlyArray<string>)
  if (ids.some(({ length }) => length > max)) return undefined
  const documents = yield* client.callAll(
    ids.flat().map((id) => ["HGET", [keys.exceptionKey(id), "document"]] as const),
  )
  return new Set(
    documents.flatMap((document) => {
      if (document === null) return []
      const { resource_id: id } = readException({ document: String(document) })
      return id === null ? [] : [id]
    }),
  )
})

const deletionKinds = { deleted: "deleted", stale: "stale" } as const

/** A refund that goes with its charge, as it was decided on. */
interface EndedRefund {
  readonly id: string
  readonly version: string
  readonly status: string
  /** Whether the ledger may name it. */
  readonly isInLedger: boolean
}

/** A charge that has ended, as it was decided on. */
interface EndedCharge {
  readonly id: string
  readonly version: string
  readonly status: string
  /** The newest event of the charge and its refunds. */
  readonly newestEvent: string
  /** When one of them changed last, in ms of the streams. */
  readonly changedMillis: number
  readonly isInLedger: boolean
  /** What its payment link has counted of it. */
  readonly payment: { readonly link: string; readonly amount: number } | undefined
  /** By which it is found, besides its customer. */
  readonly lookup: ReadonlyArray<string>
  /** What it added to its customer's sums. */
  readonly customer: ReturnType<typeof sumsIn>
  /** All of them. */
  readonly refunds: ReadonlyArray<EndedRefund>
}

const timersOf = ({ id, refunds }: EndedCharge): ReadonlyArray<string> => [
  ...Object.values(timerNames).map((name) => `${id}:${name}`),
  ...refunds.flatMap((refund) => Object.values(refundTimers).map((name) => `${refund.id}:${name}`)),
]

const deleteChargeFunction = luaFunction("test_retention.delete_charge", {
  keys: [
    "charge",
    "index",
    "statusIndex",
    "refundsOf",
    "refunds",
    "events",
    "ledger",
    "deleted",
    "base",
    "timers",
  ],
})

/** The keys of what a deletion of test data looks at. */
const testKeys = (feed: Feed) => ({
  events: keys.eventsKey(feed),
  ledger: keys.ledgerKey(feed),
  deleted: keys.ledgerDeletedKey(feed),
  base: keys.ledgerBaseKey(feed),
  timers: keys.timersKey(keys.tagOf(feed.sellerId)),
})

/** Deletes a charge of a seller's test mode with its refunds: `deleted`, or refused as `stale`. */
const deleteCharge = (client: Client, retentionMillis: number, sellerId: string, charge: EndedCharge) => {
  const { id, version, status, newestEvent, changedMillis, isInLedger, lookup, customer, payment, refunds } =
    charge
  const feed = { sellerId, mode: "test" } as const
  return Effect.flatMap(
    callFunction(
      client,
      deleteChargeFunction,
      {
        charge: keys.transactionKey(id),
        index: keys.transactionsKey(sellerId, feed.mode),
        statusIndex: keys.transactionsKey(sellerId, feed.mode, status),
        refundsOf: keys.refundsOfKey(id),
        refunds: keys.refundsKey(sellerId, feed.mode),
        ...testKeys(feed),
      },
      {
        id,
        sellerId,
        version,
        newestEvent,
        changedMillis,
        retentionMillis,
        isInLedger,
        lookup,
        payment,
        customer,
        refunds,
        timers: timersOf(charge),
      },
    ),
    readKind(deleteChargeFunction, deletionKinds),
  )
}

const chargeFields = ["status", "version", "document", "events", "release", "customer"]
const refundFields = ["status", "version", "document", "events"]

/** A charge or refund as stored: what its deletion is decided on. */
interface Found<Status> {
  readonly id: string
  readonly status: Status
  readonly version: string
  readonly document: string
  /** Entry ids of its events, oldest first. */
  readonly events: ReadonlyArray<string>
  /** The ledger entry of its release; "" if there is none. */
  readonly release: string
  readonly hasCustomer: boolean
}

/** Reads a hash; undefined where it is not there, or lacks what every one has: an audit names it. */
const readFound = <Status>(id: string, reply: Reply | undefined): Found<Status> | undefined => {
  const [status, version, document, events, release, customer] = (reply ?? []) as ReadonlyArray<string | null>
  if (!status || !version || !document || !events) return undefined
  return {
    id,
    status: status as Status,
    version,
    document,
    events: entriesOf(events),
    release: release ?? "",
    hasCustomer: Boolean(customer),
  }
}

const readRefunds = Effect.fnUntraced(function* (
  client: Client,
  charges: ReadonlyArray<Found<TransactionStatus>>,
) {
  const members = yield* client.callAll(
    charges.map(({ id }) => ["ZRANGE", [keys.refundsOfKey(id), 0, -1]] as const),
  )
  const idsOf = members.map((ids) => (ids ?? []) as ReadonlyArray<string>)
  const all = idsOf.flat()
  const replies = yield* client.callAll(
    all.map((id) => ["HMGET", [keys.refundKey(id), ...refundFields]] as const),
  )
  const found = new Map(all.map((id, i) => [id, readFound<RefundStatus>(id, replies[i])]))
  return idsOf.map((ids) => ids.map((id) => found.get(id)))
})

/** What the payment link of a stored charge has counted of it; undefined: it has none, or was never paid. */
const linkPaymentOf = (document: string): EndedCharge["payment"] => {
  const link = paymentLinkOfCharge(document)
  if (link === undefined) return undefined
  const { paid_at, amount } = parseCharge(document)
  return paid_at === null ? undefined : { link, amount }
}

/** The charge with its refunds, if they have all ended; undefined: they stay. */
const endedOf = (
  charge: Found<TransactionStatus>,
  found: ReadonlyArray<Found<RefundStatus> | undefined>,
  keptIds: ReadonlySet<string>,
): EndedCharge | undefined => {
  const refunds = found.flatMap((refund) => refund ?? [])
  const isKept = [charge, ...refunds].some(({ id }) => keptIds.has(id))
  if (isKept || refunds.length < found.length || !isChargeEnded(charge, refunds)) return undefined
  const newestEvent = newestOf([charge, ...refunds].flatMap(({ events }) => events))
  return {
    id: charge.id,
    version: charge.version,
    status: charge.status,
    newestEvent,
    changedMillis: Math.max(millisOf(newestEvent), charge.release === "" ? 0 : millisOf(charge.release)),
    isInLedger: mayHaveMoved(charge),
    payment: linkPaymentOf(charge.document),
    lookup: lookupTermsOf(charge.document, undefined),
    customer: charge.hasCustomer ? sumsIn(charge.document) : { paid: 0, refunded: 0 },
    refunds: refunds.map((refund) => ({
      id: refund.id,
      version: refund.version,
      status: refund.status,
      isInLedger: mayHaveHeld(refund),
    })),
  }
}

/**
 * Reads a page of a seller's test charges, oldest first: those that have ended and changed last before `beforeMillis`, without
 * those in `keptIds`. `nextAfterId` undefined: no other charge can be that old.
 */
const endedCharges = Effect.fnUntraced(function* (
  client: Client,
  sellerId: string,
  afterId: string,
  beforeMillis: number,
  keptIds: ReadonlySet<string>,
) {
  const ids = yield* readOldestIds(client, keys.transactionsKey(sellerId, "test"), afterId)
  const replies = yield* client.callAll(
    ids.map((id) => ["HMGET", [keys.transactionKey(id), ...chargeFields]] as const),
  )
  const found = ids.flatMap((id, i) => readFound<TransactionStatus>(id, replies[i]) ?? [])
  const old = found.filter(({ events }) => beginningMillis(events) < beforeMillis)
  const refundsOf = yield* readRefunds(client, old)
  const isLast = ids.length < limits.trimmedTestResourcesMax || old.length < found.length
  return {
    ended: old
      .flatMap((charge, i) => endedOf(charge, refundsOf[i] ?? [], keptIds) ?? [])
      .filter(({ changedMillis }) => changedMillis < beforeMillis),
    nextAfterId: isLast ? undefined : ids.at(-1),
  }
})

/** A withdrawal that has ended, as it was decided on. */
interface EndedWithdrawal {
  readonly id: string
  readonly version: string
  readonly status: string
  readonly newestEvent: string
  /** When it changed last, in ms of the streams. */
  readonly changedMillis: number
}

const deleteWithdrawalFunction = luaFunction("test_retention.delete_withdrawal", {
  keys: [
    "withdrawal",
    "index",
    "statusIndex",
    "partitionIndex",
    "balance",
    "events",
    "ledger",
    "deleted",
    "base",
    "timers",
  ],
})

/** Deletes a withdrawal of a seller's test mode: `deleted`, or refused as `stale`. */
const deleteWithdrawal = (
  client: Client,
  retentionMillis: number,
  sellerId: string,
  { id, version, status, newestEvent, changedMillis }: EndedWithdrawal,
) => {
  const feed = { sellerId, mode: "test" } as const
  return Effect.flatMap(
    callFunction(
      client,
      deleteWithdrawalFunction,
      {
        withdrawal: keys.withdrawalKey(id),
        index: keys.withdrawalsKey(sellerId, feed.mode),
        statusIndex: keys.withdrawalsKey(sellerId, feed.mode, status),
        partitionIndex: keys.partitionWithdrawalsKey(keys.tagOf(sellerId), feed.mode, status),
        balance: keys.balanceKey(feed),
        ...testKeys(feed),
      },
      {
        id,
        sellerId,
        version,
        newestEvent,
        changedMillis,
        retentionMillis,
        timers: Object.values(withdrawalTimers).map((name) => `${id}:${name}`),
      },
    ),
    readKind(deleteWithdrawalFunction, deletionKinds),
  )
}

/**
 * Reads a page of a seller's test withdrawals, oldest first: those that have ended and changed last before `beforeMillis`, without
 * those in `keptIds`. `nextAfterId` undefined: no other withdrawal can be that old.
 */
const endedWithdrawals = Effect.fnUntraced(function* (
  client: Client,
  sellerId: string,
  afterId: string,
  beforeMillis: number,
  keptIds: ReadonlySet<string>,
) {
  const ids = yield* readOldestIds(client, keys.withdrawalsKey(sellerId, "test"), afterId)
  const replies = yield* client.callAll(
    ids.map((id) => ["HMGET", [keys.withdrawalKey(id), "status", "version", "events"]] as const),
  )
  const found = ids.flatMap((id, i) => {
    const [status, version, events] = (replies[i] ?? []) as ReadonlyArray<string | null>
    return status && version && events ? [{ id, status, version, events: entriesOf(events) }] : []
  })
  const old = found.filter(({ events }) => beginningMillis(events) < beforeMillis)
  const ended = old
    .filter(({ id, status }) => !keptIds.has(id) && isWithdrawalEnded({ status: status as WithdrawalStatus }))
    .map(({ id, status, version, events }): EndedWithdrawal => {
      const newestEvent = newestOf(events)
      return { id, status, version, newestEvent, changedMillis: millisOf(newestEvent) }
    })
  const isLast = ids.length < limits.trimmedTestResourcesMax || old.length < found.length
  return {
    ended: ended.filter(({ changedMillis }) => changedMillis < beforeMillis),
    nextAfterId: isLast ? undefined : ids.at(-1),
  }
})

const trimLedgerFunction = luaFunction("test_retention.trim_ledger", { keys: ["ledger", "base", "deleted"] })

/** The least id of an entry after another. */
const idAfter = (entryId: string): string => {
  const [millis = "0", sequence = "0"] = entryId.split("-")
  return `${millis}-${BigInt(sequence) + 1n}`
}

/** Moves a base on from `expectedEntryId`; returns how many entries went, 0 where the base is another by now. */
const moveBase = (
  client: Client,
  feed: Feed,
  expectedEntryId: string,
  base: LedgerBase,
): Effect.Effect<number, StoreUnavailable> =>
  Effect.flatMap(
    callFunction(
      client,
      trimLedgerFunction,
      {
        ledger: keys.ledgerKey(feed),
        base: keys.ledgerBaseKey(feed),
        deleted: keys.ledgerDeletedKey(feed),
      },
      {
        expectedEntry: expectedEntryId || undefined,
        fields: { entry: base.entryId, ...Object.fromEntries(baseFields(base)) },
        nextEntry: idAfter(base.entryId),
      },
    ),
    (reply) => {
      const [kind, trimmed] = words(reply)
      if (kind === "stale") return Effect.succeed(0)
      return kind === "trimmed"
        ? Effect.succeed(Number(trimmed))
        : Effect.fail(unexpectedReply(trimLedgerFunction, reply))
    },
  )

/** The end, in ms, of the last day of test mode that is closed on the whole platform; before the first, 0. */
const closedToMillis = (client: Client) =>
  Effect.map(client.call("XREVRANGE", [keys.closingsKey("test"), "+", "-", "COUNT", 1]), (reply) => {
    const [last] = readClosings(reply)
    return last === undefined ? 0 : dayEndMillis(last.day)
  })

/**
 * Deletes entries from the old end of a seller's test ledger: those older than `beforeMillis`, of closed days, whose resources are
 * deleted or are exceptions, up to the first that is not or that does not follow from the base. Returns how many, and whether
 * there may be more.
 */
const trimLedger = Effect.fnUntraced(function* (client: Client, sellerId: string, beforeMillis: number) {
  const feed = { sellerId, mode: "test" } as const
  const start = readBase(readHash(yield* client.call("HGETALL", [keys.ledgerBaseKey(feed)])))
  const from = start.entryId === "" ? "-" : `(${start.entryId}`
  const count = limits.trimmedTestEntriesMax
  const oldest = readLedgerEntries(
    yield* client.call("XRANGE", [keys.ledgerKey(feed), from, "+", "COUNT", count]),
  )
  const endMillis = Math.min(beforeMillis, (yield* closedToMillis(client)) + 1)
  const old = oldest.filter(({ entryId }) => Number(entryId.split("-")[0]) < endMillis)
  if (old.length === 0) return { ledgerEntries: 0, hasMore: false }
  const marks = yield* client.callAll(
    old.map(({ resourceId }) => ["ZSCORE", [keys.ledgerDeletedKey(feed), resourceId]] as const),
  )
  let base = start
  for (const [i, entry] of old.entries()) {
    const mayGo = entry.resourceType === "exception" || marks[i] !== null
    const next = mayGo ? baseAfter(base, entry) : undefined
    if (next === undefined) break
    base = next
  }
  if (base === start) return { ledgerEntries: 0, hasMore: false }
  const ledgerEntries = yield* moveBase(client, feed, start.entryId, base)
  return {
    ledgerEntries,
    hasMore: ledgerEntries > 0 && base.entryId === oldest.at(-1)?.entryId && oldest.length === count,
  }
})

/** What a step does: a page of a seller's charges, of its withdrawals or of its ledger; `next`: looks for a seller after it. */
const stages = ["charges", "withdrawals", "ledger", "next"] as const
type Stage = (typeof stages)[number]

/** Where a step begins: in a seller and stage, after an id. */
interface Place {
  readonly sellerId: string
  readonly stage: Stage
  readonly afterId: string
}

const textOf = ({ sellerId, stage, afterId }: Place): string => `${sellerId} ${stage} ${afterId}`

const placeOf = (from: string | undefined): Place => {
  const [sellerId = "", name, afterId = ""] = (from ?? "").split(" ")
  return { sellerId, stage: stages.find((stage) => stage === name) ?? "next", afterId }
}

/** How many calls of a step run at once. */
const callsAtOnce = 8

const done = { resources: 0, ledgerEntries: 0 }

/** Whether a stream's first entry, or the creation of an index's first resource, is that old. */
const isOldEntry = (reply: Reply | undefined, beforeMillis: number): boolean => {
  const [first] = (reply ?? []) as ReadonlyArray<readonly [string, unknown]>
  return first !== undefined && millisOf(first[0]) < beforeMillis
}

const isOldResource = (events: Reply | undefined, beforeMillis: number): boolean =>
  events !== null && events !== undefined && beginningMillis(entriesOf(String(events))) < beforeMillis

/** Those of some sellers whose test mode begins before a time. */
const sellersWithOld = Effect.fnUntraced(function* (
  client: Client,
  sellerIds: ReadonlyArray<string>,
  beforeMillis: number,
) {
  const firsts = yield* client.callAll(
    sellerIds.flatMap((sellerId) => [
      ["XRANGE", [keys.ledgerKey({ sellerId, mode: "test" }), "-", "+", "COUNT", 1]] as const,
      ["ZRANGE", [keys.transactionsKey(sellerId, "test"), 0, 0]] as const,
      ["ZRANGE", [keys.withdrawalsKey(sellerId, "test"), 0, 0]] as const,
    ]),
  )
  const idIn = (reply: Reply | undefined): string => String((reply as ReadonlyArray<string>)[0] ?? "")
  const named = sellerIds.flatMap((sellerId, i) => [
    { sellerId, key: keys.transactionKey, id: idIn(firsts[i * 3 + 1]) },
    { sellerId, key: keys.withdrawalKey, id: idIn(firsts[i * 3 + 2]) },
  ])
  const resources = named.filter(({ id }) => id !== "")
  const events = yield* client.callAll(resources.map(({ key, id }) => ["HGET", [key(id), "events"]] as const))
  const old = new Set(
    resources.flatMap(({ sellerId }, i) => (isOldResource(events[i], beforeMillis) ? [sellerId] : [])),
  )
  return sellerIds.filter((sellerId, i) => old.has(sellerId) || isOldEntry(firsts[i * 3], beforeMillis))
})

/** The place of the next seller with old test data. */
const nextSeller = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  afterId: string,
  beforeMillis: number,
): Effect.fn.Return<TrimmedTestStep, StoreUnavailable> {
  const ids = (yield* client.call("ZRANGEBYLEX", [
    ...[keys.sellersKey(partition), afterId === "" ? "-" : `(${afterId}`, "+"],
    ...["LIMIT", 0, limits.trimmedSellersMax],
  ])) as ReadonlyArray<string>
  const [found] = yield* sellersWithOld(client, ids, beforeMillis)
  if (found !== undefined) {
    return { ...done, next: textOf({ sellerId: found, stage: "charges", afterId: "" }) }
  }
  const last = ids.length < limits.trimmedSellersMax ? undefined : ids.at(-1)
  return {
    ...done,
    next: last === undefined ? undefined : textOf({ sellerId: last, stage: "next", afterId: "" }),
  }
})

/** Deletes what has ended of a page of a seller's charges or withdrawals. */
const trimResources = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  { sellerId, stage, afterId }: Place,
  retentionMillis: number,
  beforeMillis: number,
): Effect.fn.Return<TrimmedTestStep, StoreUnavailable> {
  const isCharges = stage === "charges"
  const following: Place = { sellerId, stage: isCharges ? "withdrawals" : "ledger", afterId: "" }
  const keptIds = yield* resourcesWithExceptions(client, partition)
  if (keptIds === undefined) return { ...done, next: textOf(following) }
  const range = [client, sellerId, afterId, beforeMillis, keptIds] as const
  const { nextAfterId, deletions } = isCharges
    ? yield* Effect.map(endedCharges(...range), ({ ended, nextAfterId: next }) => ({
        nextAfterId: next,
        deletions: ended.map((charge) => ({
          count: 1 + charge.refunds.length,
          run: deleteCharge(client, retentionMillis, sellerId, charge),
        })),
      }))
    : yield* Effect.map(endedWithdrawals(...range), ({ ended, nextAfterId: next }) => ({
        nextAfterId: next,
        deletions: ended.map((withdrawal) => ({
          count: 1,
          run: deleteWithdrawal(client, retentionMillis, sellerId, withdrawal),
        })),
      }))
  const counts = yield* Effect.forEach(
    deletions,
    ({ count, run }) => Effect.map(run, ({ kind }) => (kind === "deleted" ? count : 0)),
    { concurrency: callsAtOnce },
  )
  const resources = counts.reduce((sum, count) => sum + count, 0)
  const next = nextAfterId === undefined ? following : { sellerId, stage, afterId: nextAfterId }
  return { resources, ledgerEntries: 0, next: textOf(next) }
})

/** Deletes a bounded part of what a partition's test mode no longer keeps; without a retention, nothing. */
export const trimTest = (client: Client, options: StoreOptions["Service"]) =>
  Effect.fnUntraced(function* (
    partition: number,
    from: string | undefined,
  ): Effect.fn.Return<TrimmedTestStep, StoreUnavailable> {
    const { testRetentionMillis: retentionMillis } = options
    if (retentionMillis === undefined) return { ...done, next: undefined }
    const beforeMillis = (yield* Clock.currentTimeMillis) - retentionMillis
    const place = placeOf(from)
    const { sellerId, stage } = place
    if (stage === "next") return yield* nextSeller(client, partition, sellerId, beforeMillis)
    if (stage !== "ledger") {
      return yield* trimResources(client, partition, place, retentionMillis, beforeMillis)
    }
    const { ledgerEntries, hasMore } = yield* trimLedger(client, sellerId, beforeMillis)
    const next: Place = { sellerId, stage: hasMore ? "ledger" : "next", afterId: "" }
    return { resources: 0, ledgerEntries, next: textOf(next) }
  })
