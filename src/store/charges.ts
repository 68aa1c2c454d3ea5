import { Effect, Layer } from "effect"
import { destinationIdOfPostback } from "../../actors/delivery/destinationId.ts"
import {
  type CreateTransactionCommit,
  type CustomerEffect,
  type PostbackDestination,
  type StoredTransaction,
  type TransactionPage,
  TransactionStore,
  type TransitionCommit,
} from "../../actors/ports/transactionStore.ts"
import { type ChargeLookup, isFoundBy } from "../../actors/values/chargeLookups.ts"
import type { IndexedPlaces } from "../../actors/values/chargeSearch.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { linkPaidEventType } from "../../schema/events.ts"
import type { Feed, Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { RefundStatus } from "../../schema/resources/refund.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import { createdTermsOf, lookupTerm, paymentDigest } from "./chargeLookup.ts"
import { eventKeyNames, eventKeys, isInternal, moneyKeyNames, moneyKeys } from "./commits.ts"
import { exceptionBeside, exceptionKeyNames } from "./exceptions.ts"
import { claimIdempotency, peekIdempotency, saveAnswer } from "./idempotency.ts"
import { idRange } from "./idRange.ts"
import * as keys from "./keys.ts"
import { isOfStatus, readListed } from "./readListed.ts"
import { callFunction, parametersOf } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type RedisCommand, type Reply } from "./redis/redisClient.ts"
import { readAnswer, readKind } from "./redis/reply.ts"
import { apiKeyCheck, isKeyValid, makeReadOwn, requestKeyNames, requestKeys, requestOf } from "./requests.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]
type Options = StoreOptions["Service"]

/** Fields of a charge's hash, in the order that {@link readTransaction} expects. */
export const chargeFields = [
  "seller",
  "mode",
  "status",
  "version",
  "document",
  "account",
  "customer",
] as const

/** Reads the values of a charge's {@link chargeFields}; undefined if there is none. */
export const readTransaction = (id: string, reply: Reply | undefined): StoredTransaction | undefined => {
  const [sellerId, mode, status, version, document, account, customer] = reply as ReadonlyArray<string | null>
  if (!sellerId || !document) return undefined
  return {
    id,
    sellerId,
    mode: mode as Mode,
    status: status as TransactionStatus,
    version: Number(version),
    document,
    ...(account ? { account } : {}),
    ...(customer ? { customer } : {}),
  }
}

const createFunction = luaFunction("charges.create", {
  keys: [
    ...requestKeyNames,
    "charge",
    "index",
    "statusIndex",
    "lookup",
    ...eventKeyNames,
    "timers",
    "paymentLink?",
  ],
  texts: ["document"],
})

/** The key of the payment link that a charge was made through, which lies beside its seller. */
const linkKey = (sellerId: string, linkId: string | undefined) =>
  linkId === undefined ? undefined : keys.keyWithin(keys.tagOf(sellerId), keys.paymentLinkKey(linkId))

/** Commits a new charge: `created`, or what the Idempotency-Key holds, or a refusal of the credential. */
const create = (client: Client, options: Options) => (commit: CreateTransactionCommit) => {
  const { principal, idempotency, transaction } = commit
  const { sellerId, mode } = principal
  const call = callFunction(
    client,
    createFunction,
    {
      ...requestKeys(principal, idempotency),
      ...eventKeys(principal),
      charge: keys.transactionKey(transaction.id),
      index: keys.transactionsKey(sellerId, mode),
      statusIndex: keys.transactionsKey(sellerId, mode, transaction.status),
      lookup: keys.lookupKey(principal),
      timers: keys.timersKey(keys.tagOf(sellerId)),
      paymentLink: linkKey(sellerId, commit.paymentLinkId),
    },
    {
      ...requestOf(principal, idempotency),
      retentionMillis: options.retentionMillis,
      id: transaction.id,
      status: transaction.status,
      eventType: commit.eventType,
      isInternal: isInternal(commit.eventType),
      account: transaction.account,
      customer: transaction.customer,
      lookup: createdTermsOf(transaction.document, transaction.customer),
      timers: commit.timers,
      paymentLink: commit.paymentLinkId,
      idempotencyRetentionMillis: limits.idempotencyRetentionMillis,
    },
    { document: transaction.document },
  )
  return Effect.flatMap(
    call,
    readAnswer(createFunction, ([word]) => {
      if (word === "created") return { kind: "created" } as const
      if (word === "link_full") return { kind: "linkFull" } as const
      return word === "link_inactive" ? ({ kind: "linkInactive" } as const) : undefined
    }),
  )
}

/** What a commit of a charge or of its refund changes of the charge. */
export interface ChargeChange {
  readonly id: string
  readonly version: number
  readonly from: TransactionStatus
  readonly to: TransactionStatus
  readonly eventType: string | undefined
  readonly postback: PostbackDestination | undefined
  readonly refundingChange?: number
  readonly customer?: CustomerEffect | undefined
  readonly timers: TransitionCommit["timers"]
  readonly timersDone: ReadonlyArray<string>
}

/** The names of {@link chargeKeys}. */
export const chargeKeyNames = [
  "charge",
  "chargeOldIndex?",
  "chargeNewIndex?",
  "postback?",
  "postbacks?",
] as const

/** The keys of a change of a charge, as charges.lua names them. */
export const chargeKeys = ({ sellerId, mode }: Feed, { id, from, to, postback }: ChargeChange) => ({
  charge: keys.keyWithin(keys.tagOf(sellerId), keys.transactionKey(id)),
  chargeOldIndex: keys.transactionsKey(sellerId, mode, from),
  chargeNewIndex: keys.transactionsKey(sellerId, mode, to),
  postback:
    postback === undefined
      ? undefined
      : keys.destinationKey(destinationIdOfPostback(sellerId, mode, postback.url)),
  postbacks: keys.postbacksKey({ sellerId, mode }),
})

/** A change of a charge, as charges.lua reads it. */
export const chargeOf = ({ sellerId, mode }: Feed, change: ChargeChange) => ({
  id: change.id,
  version: change.version,
  oldStatus: change.from,
  newStatus: change.to,
  eventType: change.eventType,
  isInternal: isInternal(change.eventType),
  postback:
    change.postback === undefined
      ? undefined
      : { id: destinationIdOfPostback(sellerId, mode, change.postback.url), url: change.postback.url },
  refundingChange: change.refundingChange,
  customer: change.customer,
  timers: change.timers,
  timersDone: change.timersDone,
})

const transitionFunction = luaFunction("charges.transition", {
  keys: [
    ...chargeKeyNames,
    ...eventKeyNames,
    "timers",
    "lookup",
    ...moneyKeyNames,
    "refund?",
    "refundIndex?",
    "refundStatusIndex?",
    "refundsOf?",
    ...exceptionKeyNames,
    "paymentLink?",
  ],
  texts: ["document", "refundDocument", "exceptionDocument"],
})

/** The status of a refund that began at the acquirer: it is known once its money has moved. */
const bookedStatus: RefundStatus = "succeeded"

/** The keys of a refund that the commit books, if it does. */
const refundKeys = ({ sellerId, mode, transactionId, refund }: TransitionCommit) => {
  const tag = keys.tagOf(sellerId)
  if (refund === undefined) return {}
  return {
    refund: keys.keyWithin(tag, keys.refundKey(refund.id)),
    refundIndex: keys.refundsKey(sellerId, mode),
    refundStatusIndex: keys.refundsKey(sellerId, mode, bookedStatus),
    refundsOf: keys.keyWithin(tag, keys.refundsOfKey(transactionId)),
  }
}

/** The digest of the payment that the commit books, if it books one. */
const paymentOf = ({ from, to, document }: TransitionCommit): ReadonlyArray<string> =>
  to === "paid" && from !== "paid" ? [paymentDigest(document)].filter((digest) => digest !== "") : []

const transitionCall = (commit: TransitionCommit, retentionMillis: number) => {
  const { sellerId, mode, transactionId, refund, paymentLink } = commit
  const feed = { sellerId, mode }
  const change = { ...commit, id: transactionId, version: commit.expectedVersion }
  const exception = exceptionBeside(transactionId, commit.exception)
  return [
    {
      ...chargeKeys(feed, change),
      ...eventKeys(feed),
      ...moneyKeys(feed),
      timers: keys.timersKey(keys.tagOf(sellerId)),
      lookup: keys.lookupKey(feed),
      ...refundKeys(commit),
      ...exception.keys,
      paymentLink: linkKey(sellerId, paymentLink?.id),
    },
    {
      sellerId,
      mode,
      retentionMillis,
      charge: chargeOf(feed, change),
      movement: commit.movement,
      refund:
        refund === undefined
          ? undefined
          : {
              id: refund.id,
              status: bookedStatus,
              eventType: refund.eventType,
              isInternal: isInternal(refund.eventType),
            },
      exception: exception.change,
      lookup: paymentOf(commit),
      paymentLink: paymentLink === undefined ? undefined : { ...paymentLink, eventType: linkPaidEventType },
    },
    {
      document: commit.document,
      refundDocument: refund?.document ?? "",
      exceptionDocument: exception.document,
    },
  ] as const
}

/** The parameters of FCALL for a transition. */
export const transitionParameters = (transitionCommit: TransitionCommit, retentionMillis: number) =>
  parametersOf(transitionFunction, ...transitionCall(transitionCommit, retentionMillis))

/**
 * Commits a transition of a charge, or nothing: status, event, owed deliveries, timers, money, the refund that it books and what
 * it does to an exception. `applied`, or refused as `stale`, `missing` or `overflow`.
 */
const transition = (client: Client, options: Options) => (commit: TransitionCommit) =>
  Effect.flatMap(
    callFunction(client, transitionFunction, ...transitionCall(commit, options.retentionMillis)),
    readKind(transitionFunction, transitionKinds),
  )

/** The replies of a transition that moves money. */
export const transitionKinds = {
  applied: "applied",
  stale: "stale",
  missing: "missing",
  overflow: "overflow",
} as const

const loadMany = (client: Client, ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(ids.map((id) => ["HMGET", [keys.transactionKey(id), ...chargeFields]] as const)),
    (records) => records.flatMap((record, i) => readTransaction(ids[i] ?? "", record) ?? []),
  )

/** A part of an index, from the newest member to the oldest. */
type IndexPart = readonly [index: string, max: string, min: string]

/** Reads the charges of parts of indexes, newest first, whose members end with an id. */
const readParts = (client: Client) =>
  Effect.fnUntraced(function* (principal: Principal, parts: ReadonlyArray<IndexPart>, limit: number) {
    const [check, ...found] = yield* client.callAll([
      apiKeyCheck(principal),
      ...parts.map((part): RedisCommand => ["ZRANGE", [...part, "BYLEX", "REV", "LIMIT", 0, limit]]),
    ])
    if (!isKeyValid(principal, check, yield* Effect.clockWith((clock) => clock.currentTimeMillis))) {
      return { kind: "keyInvalid" } as const
    }
    const ids = (found as ReadonlyArray<ReadonlyArray<string>>)
      .flat()
      .map((member) => member.slice(member.lastIndexOf(" ") + 1))
    const newest = parts.length === 1 ? ids : ids.toSorted().toReversed().slice(0, limit)
    return yield* loadMany(client, newest)
  })

const list = (client: Client) => {
  const read = readParts(client)
  return (principal: Principal, page: TransactionPage) => {
    const index = keys.transactionsKey(principal.sellerId, principal.mode, page.status)
    return readListed(
      isOfStatus(page.status),
      read(principal, [[index, ...idRange("txn_", page)]], page.limit),
    )
  }
}

/** A term's charges lie in the index side by side, in the order of their ids. */
const listOfTerms = (client: Client) => {
  const read = readParts(client)
  return (principal: Principal, terms: ReadonlyArray<string>, page: Omit<TransactionPage, "status">) => {
    const parts = terms.map((term): IndexPart => {
      const beforeId = page.beforeId === undefined ? undefined : `${term} ${page.beforeId}`
      const [max, min] = idRange(`${term} txn_`, { ...page, beforeId })
      // '!' follows the space.
      return [keys.lookupKey(principal), max === "+" ? `(${term}!` : max, min === "-" ? `[${term} ` : min]
    })
    return read(principal, parts, page.limit)
  }
}

const find = (client: Client) =>
  Effect.fnUntraced(function* (principal: Principal, by: ChargeLookup, countMax: number) {
    const term = lookupTerm(by)
    const found: Array<StoredTransaction> = []
    // '!' follows the space.
    let before = `(${term}!`
    for (let looked = 0; looked < limits.filterScanEntriesMax; looked += countMax) {
      const range = [before, `[${term} `, "BYLEX", "REV", "LIMIT", 0, countMax]
      const reply = yield* client.call("ZRANGE", [keys.lookupKey(principal), ...range])
      const members = reply as ReadonlyArray<string>
      const charges = yield* loadMany(
        client,
        members.map((member) => member.slice(term.length + 1)),
      )
      found.push(...charges.filter(({ document }) => isFoundBy(document, by)))
      if (found.length >= countMax || members.length < countMax) break
      before = `(${members.at(-1)}`
    }
    return found.slice(0, countMax)
  })

/** The ranges of the index that have a place of a word. */
const rangesOf = (places: IndexedPlaces): ReadonlyArray<readonly [min: string, max: string]> =>
  places.kind === "end_to_end_id"
    ? [[`[${lookupTerm(places)} `, `(${lookupTerm(places)}!`]]
    : places.prefixes.map((prefix) => [`[${prefix}`, `(${prefix}\u{10FFFF}`] as const)

const lookUp = (client: Client) =>
  Effect.fnUntraced(function* (principal: Principal, words: ReadonlyArray<IndexedPlaces>, countMax: number) {
    const index = keys.lookupKey(principal)
    const ranges = words.map(rangesOf)
    const [check, ...counts] = yield* client.callAll([
      apiKeyCheck(principal),
      ...ranges.flat().map((range): RedisCommand => ["ZLEXCOUNT", [index, ...range]]),
    ])
    if (!isKeyValid(principal, check, yield* Effect.clockWith((clock) => clock.currentTimeMillis))) {
      return { kind: "keyInvalid" } as const
    }
    const sizes = ranges.map((some) => some.reduce((sum) => sum + Number(counts.shift()), 0))
    const least = Math.min(...sizes)
    if (least > countMax) return undefined
    const found = yield* client.callAll(
      (ranges[sizes.indexOf(least)] ?? []).map(
        (range): RedisCommand => ["ZRANGE", [index, ...range, "BYLEX", "LIMIT", 0, countMax]],
      ),
    )
    const ids = (found as ReadonlyArray<ReadonlyArray<string>>)
      .flat()
      .map((entry) => entry.split(" ")[1] ?? "")
    return [...new Set(ids)].toSorted().toReversed()
  })

/** Charges on Redis. */
export const TransactionStoreLive = Layer.effect(
  TransactionStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    return TransactionStore.of({
      create: create(client, options),
      claim: claimIdempotency(client),
      peek: peekIdempotency(client),
      saveAnswer: saveAnswer(client),
      transition: transition(client, options),
      get: makeReadOwn(client, keys.transactionKey, chargeFields, readTransaction),
      load: (id) =>
        Effect.map(client.call("HMGET", [keys.transactionKey(id), ...chargeFields]), (reply) =>
          readTransaction(id, reply),
        ),
      loadMany: (ids) => loadMany(client, ids),
      find: find(client),
      list: list(client),
      listOfTerms: listOfTerms(client),
      lookUp: lookUp(client),
    })
  }),
)
