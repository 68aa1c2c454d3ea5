import { Clock, Effect, Layer } from "effect"
import {
  type CreateRefundCommit,
  type RefundedCharge,
  type RefundPage,
  RefundStore,
  type RefundTransition,
  type StoredRefund,
  type StuckRefunds,
} from "../../actors/ports/refundStore.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { isId, type Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { isRefundOver, type RefundStatus } from "../../schema/resources/refund.ts"
import {
  type ChargeChange,
  chargeFields,
  chargeKeyNames,
  chargeKeys,
  chargeOf,
  readTransaction,
  transitionKinds,
} from "./charges.ts"
import { eventKeyNames, eventKeys, isInternal, moneyKeyNames, moneyKeys } from "./commits.ts"
import { exceptionBeside, exceptionKeyNames } from "./exceptions.ts"
import { peekIdempotency } from "./idempotency.ts"
import { idRange } from "./idRange.ts"
import * as keys from "./keys.ts"
import { isOfStatus, readListed } from "./readListed.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type RedisCommand, type Reply } from "./redis/redisClient.ts"
import { readCreation, readHash, readKind } from "./redis/reply.ts"
import { apiKeyCheck, isKeyValid, makeReadOwn, requestKeyNames, requestKeys, requestOf } from "./requests.ts"
import { readSeller } from "./sellerRecord.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]
type Options = StoreOptions["Service"]

/** Fields of a refund's hash, in the order that {@link readRefund} expects. */
const refundFields = [
  "seller",
  "mode",
  "transaction",
  "status",
  "version",
  "document",
  "account",
  "held_from_reserve",
  "idempotency_route",
  "idempotency_key",
] as const

/** Reads the values of a refund's {@link refundFields}; undefined if there is none. */
const readRefund = (id: string, reply: Reply | undefined): StoredRefund | undefined => {
  const [sellerId, mode, transactionId, status, version, document, account, held, route, key] =
    reply as ReadonlyArray<string | null>
  if (!sellerId || !document) return undefined
  return {
    id,
    sellerId,
    mode: mode as Mode,
    transactionId: transactionId ?? "",
    status: status as RefundStatus,
    version: Number(version),
    document,
    ...(account ? { account } : {}),
    heldFromReserve: Number(held ?? 0),
    ...(key ? { idempotency: { route: route ?? "", key } } : {}),
  }
}

/** What a refund's commit changes of its charge. */
const changeOf = ({ transaction, ...charge }: RefundedCharge): ChargeChange => ({
  ...charge,
  id: transaction.id,
  version: transaction.version,
  from: transaction.status,
})

const createFunction = luaFunction("refunds.create", {
  keys: [
    ...requestKeyNames,
    ...eventKeyNames,
    ...moneyKeyNames,
    "timers",
    "refund",
    "refundIndex",
    "refundStatusIndex",
    "refundsOf",
    ...chargeKeyNames,
  ],
  texts: ["document", "chargeDocument"],
  audited: { replies: ["created"], id: "id" },
})

/** The keys of a creation. */
const creationKeys = ({ principal, idempotency, refund, charge }: CreateRefundCommit) => {
  const { sellerId, mode } = principal
  const tag = keys.tagOf(sellerId)
  return {
    ...requestKeys(principal, idempotency),
    ...eventKeys(principal),
    ...moneyKeys(principal),
    timers: keys.timersKey(tag),
    refund: keys.keyWithin(tag, keys.refundKey(refund.id)),
    refundIndex: keys.refundsKey(sellerId, mode),
    refundStatusIndex: keys.refundsKey(sellerId, mode, refund.status),
    refundsOf: keys.keyWithin(tag, keys.refundsOfKey(refund.transactionId)),
    ...chargeKeys(principal, changeOf(charge)),
  }
}

/**
 * Commits a new refund with what it changes of its charge: `created`, or refused as `stale`, or what the Idempotency-Key
 * holds, or a refusal of the credential.
 */
const create = (client: Client, options: Options) => (commit: CreateRefundCommit) => {
  const { principal, idempotency, refund, charge } = commit
  const call = callFunction(
    client,
    createFunction,
    creationKeys(commit),
    {
      ...requestOf(principal, idempotency),
      retentionMillis: options.retentionMillis,
      id: refund.id,
      status: refund.status,
      eventType: commit.eventType,
      isInternal: isInternal(commit.eventType),
      account: refund.account,
      heldFromReserve: refund.heldFromReserve,
      heldFromAvailable: commit.heldFromAvailable,
      sellerVersion: commit.decidedOn.sellerVersion,
      movement: commit.movement,
      timers: commit.timers,
      charge: chargeOf(principal, changeOf(charge)),
      idempotency: { route: idempotency.route, key: idempotency.key },
    },
    { document: refund.document, chargeDocument: charge.document },
  )
  return Effect.flatMap(call, readCreation(createFunction))
}

const transitionFunction = luaFunction("refunds.transition", {
  keys: [
    "refund",
    "oldIndex",
    "newIndex",
    "stuck",
    ...eventKeyNames,
    "timers",
    ...moneyKeyNames,
    "idempotency?",
    "charge?",
    "chargeOldIndex?",
    "chargeNewIndex?",
    "postback?",
    "postbacks?",
    ...exceptionKeyNames,
  ],
  texts: ["document", "chargeDocument", "exceptionDocument"],
})

/** The keys of a transition, those of its charge and its exception apart. */
const transitionKeys = ({ refund, to }: RefundTransition) => {
  const { id, sellerId, mode, idempotency } = refund
  const tag = keys.tagOf(sellerId)
  const feed = { sellerId, mode }
  return {
    refund: keys.keyWithin(tag, keys.refundKey(id)),
    oldIndex: keys.refundsKey(sellerId, mode, refund.status),
    newIndex: keys.refundsKey(sellerId, mode, to),
    stuck: keys.stuckRefundsKey(tag),
    ...eventKeys(feed),
    ...moneyKeys(feed),
    timers: keys.timersKey(tag),
    idempotency:
      idempotency === undefined
        ? undefined
        : keys.idempotencyKey(sellerId, mode, idempotency.route, idempotency.key),
  }
}

/**
 * Commits a transition of a refund with what it changes of its charge and does to an exception: `applied`, or refused as `stale`,
 * `missing` or `overflow`.
 */
const transition = (client: Client, options: Options) => (commit: RefundTransition) => {
  const { refund, to } = commit
  const { sellerId, mode } = refund
  const feed = { sellerId, mode }
  const charge = commit.charge === undefined ? undefined : changeOf(commit.charge)
  const exception = exceptionBeside(refund.id, commit.exception)
  const call = callFunction(
    client,
    transitionFunction,
    {
      ...transitionKeys(commit),
      ...(charge === undefined ? {} : chargeKeys(feed, charge)),
      ...exception.keys,
    },
    {
      sellerId,
      mode,
      retentionMillis: options.retentionMillis,
      id: refund.id,
      version: refund.version,
      oldStatus: refund.status,
      newStatus: to,
      eventType: commit.eventType,
      isInternal: isInternal(commit.eventType),
      movement: commit.movement,
      timers: commit.timers,
      timersDone: commit.timersDone,
      charge: charge === undefined ? undefined : chargeOf(feed, charge),
      exception: exception.change,
      endsIdempotency: isRefundOver(to) && refund.idempotency !== undefined,
      idempotencyRetentionMillis: limits.idempotencyRetentionMillis,
    },
    {
      document: commit.document,
      chargeDocument: commit.charge?.document ?? "",
      exceptionDocument: exception.document,
    },
  )
  return Effect.flatMap(call, readKind(transitionFunction, transitionKinds))
}

const noteStuckFunction = luaFunction("refunds.note_stuck", { keys: ["refund", "stuck"] })

/** Notes that a refund is processing for long: `noted`, `known`, or refused as `ended`. */
const noteStuck =
  (client: Client): RefundStore["Service"]["noteStuck"] =>
  ({ id, sellerId }, sinceMillis) => {
    const tag = keys.tagOf(sellerId)
    return callFunction(
      client,
      noteStuckFunction,
      { refund: keys.keyWithin(tag, keys.refundKey(id)), stuck: keys.stuckRefundsKey(tag) },
      { id, sinceMillis },
    ).pipe(
      Effect.flatMap(readKind(noteStuckFunction, { noted: "noted", known: "known", ended: "ended" })),
      Effect.map(({ kind }) => kind),
    )
  }

const isOf = (principal: Principal, found: { readonly sellerId: string; readonly mode: string }): boolean =>
  found.sellerId === principal.sellerId && found.mode === principal.mode

const readMany = (client: Client, ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(ids.map((id) => ["HMGET", [keys.refundKey(id), ...refundFields]] as const)),
    (records) => records.flatMap((record, i) => readRefund(ids[i] ?? "", record) ?? []),
  )

/** Reads what a request is decided on; a response saved under its Idempotency-Key takes precedence. */
const readPreconditions = (client: Client) => {
  const peek = peekIdempotency(client)
  return Effect.fnUntraced(function* (
    principal: Principal,
    idempotency: IdempotencyScope,
    transactionId: string,
  ) {
    const answer = yield* peek(principal, idempotency)
    if (answer.kind !== "none") return answer
    if (!isId("txn_", transactionId)) return { kind: "missing" } as const
    const [sellerHash, balance, charge, refunds, refunding] = yield* client.callAll([
      ["HGETALL", [keys.sellerKey(principal.sellerId)]],
      ["HMGET", [keys.balanceKey(principal), "available", "reserve"]],
      ["HMGET", [keys.transactionKey(transactionId), ...chargeFields]],
      ["ZCARD", [keys.refundsOfKey(transactionId)]],
      ["HGET", [keys.transactionKey(transactionId), "refunding"]],
    ])
    const [available, reserve] = balance as ReadonlyArray<string | null>
    const seller = readSeller(principal.sellerId, readHash(sellerHash))
    if (seller === undefined) return { kind: "sellerNotAllowed" } as const
    const transaction = readTransaction(transactionId, charge)
    if (transaction === undefined || !isOf(principal, transaction)) return { kind: "missing" } as const
    return {
      kind: "open",
      seller,
      transaction,
      refunding: Number(refunding ?? 0),
      refunds: Number(refunds),
      available: Number(available ?? 0),
      reserve: Number(reserve ?? 0),
    } as const
  })
}

/** Reads the ids of a page, newest first. Those of a charge are few, and filtered by status once they are read. */
const idsOf = (principal: Principal, page: RefundPage): RedisCommand => {
  const [max, min] = idRange("rfd_", page)
  const range = [max, min, "BYLEX", "REV"]
  if (page.transactionId !== undefined) return ["ZRANGE", [keys.refundsOfKey(page.transactionId), ...range]]
  const index = keys.refundsKey(principal.sellerId, principal.mode, page.status)
  return ["ZRANGE", [index, ...range, "LIMIT", 0, page.limit]]
}

const readPage = (client: Client) =>
  Effect.fnUntraced(function* (principal: Principal, page: RefundPage) {
    const [check, ids] = yield* client.callAll([apiKeyCheck(principal), idsOf(principal, page)])
    if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) {
      return { kind: "keyInvalid" } as const
    }
    const found = yield* readMany(client, ids as ReadonlyArray<string>)
    if (page.transactionId === undefined) return found
    const isListed = isOfStatus(page.status)
    return found.filter((refund) => isOf(principal, refund) && isListed(refund)).slice(0, page.limit)
  })

const list = (client: Client) => {
  const read = readPage(client)
  return (principal: Principal, page: RefundPage) =>
    readListed(isOfStatus(page.status), read(principal, page))
}

/** Reads which refunds are noted to be processing for long: what there are partitions, not refunds. */
const readStuck = (client: Client, partitions: number): Effect.Effect<StuckRefunds, StoreUnavailable> => {
  const index = Array.from({ length: partitions }, (_, partition) =>
    keys.stuckRefundsKey(keys.partitionTag(partition)),
  )
  return Effect.map(
    client.callAll([
      ...index.map((key): RedisCommand => ["ZCARD", [key]]),
      ...index.map((key): RedisCommand => ["ZRANGE", [key, 0, 0, "WITHSCORES"]]),
    ]),
    (replies) => {
      const firsts = replies.slice(partitions).flatMap((reply) => {
        const [id, since] = reply as ReadonlyArray<string>
        return id === undefined ? [] : [{ id, sinceMillis: Number(since) }]
      })
      return {
        count: replies.slice(0, partitions).reduce((sum: number, count) => sum + Number(count), 0),
        oldest: firsts.toSorted((left, right) => left.sinceMillis - right.sinceMillis)[0],
      }
    },
  )
}

/** Refunds on Redis. */
export const RefundStoreLive = Layer.effect(
  RefundStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    return RefundStore.of({
      readPreconditions: readPreconditions(client),
      create: create(client, options),
      transition: transition(client, options),
      get: makeReadOwn(client, keys.refundKey, refundFields, readRefund),
      load: (id) =>
        Effect.map(client.call("HMGET", [keys.refundKey(id), ...refundFields]), (reply) =>
          readRefund(id, reply),
        ),
      list: list(client),
      noteStuck: noteStuck(client),
      stuck: () => readStuck(client, options.partitions),
    })
  }),
)
