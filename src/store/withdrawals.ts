import { Clock, Effect, Layer } from "effect"
import {
  type CreateWithdrawalCommit,
  type StoredWithdrawal,
  type WithdrawalPage,
  WithdrawalStore,
  type WithdrawalTransition,
} from "../../actors/ports/withdrawalStore.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { isId, type Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { isWithdrawalOver, type WithdrawalStatus } from "../../schema/resources/withdrawal.ts"
import { newestOfPartitions, oldestOfPartitions } from "./allPartitions.ts"
import { transitionKinds } from "./charges.ts"
import { eventKeyNames, eventKeys, moneyKeyNames, moneyKeys } from "./commits.ts"
import { exceptionBeside, exceptionKeyNames } from "./exceptions.ts"
import { peekIdempotency } from "./idempotency.ts"
import { idRange } from "./idRange.ts"
import * as keys from "./keys.ts"
import { readPixKey } from "./pixKeys.ts"
import { isOfStatus, readListed } from "./readListed.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type Reply } from "./redis/redisClient.ts"
import { readCreation, readHash, readKind } from "./redis/reply.ts"
import { apiKeyCheck, isKeyValid, makeReadOwn, requestKeyNames, requestKeys, requestOf } from "./requests.ts"
import { readSeller } from "./sellerRecord.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]
type Options = StoreOptions["Service"]

const fields = [
  ...["seller", "mode", "status", "version", "document", "pix_value", "day"],
  ...["idempotency_route", "idempotency_key", "account"],
]

const readWithdrawal = (id: string, reply: Reply | undefined): StoredWithdrawal | undefined => {
  const [sellerId, mode, status, version, document, pixValue, day, route, key, account] =
    reply as ReadonlyArray<string | null>
  if (!sellerId || !document) return undefined
  return {
    id,
    sellerId,
    mode: mode as Mode,
    status: status as WithdrawalStatus,
    version: Number(version),
    document,
    ...(account ? { account } : {}),
    pixValue: pixValue ?? "",
    day: day ?? "",
    idempotency: { route: route ?? "", key: key ?? "" },
  }
}

const createFunction = luaFunction("withdrawals.create", {
  keys: [
    ...requestKeyNames,
    ...eventKeyNames,
    ...moneyKeyNames,
    "timers",
    "withdrawal",
    "index",
    "statusIndex",
    "partitionIndex",
    "day",
    "pixKey",
  ],
  texts: ["document"],
  audited: { replies: ["created"], id: "id" },
})

/** The keys of a creation. */
const creationKeys = ({ principal, idempotency, withdrawal, decidedOn }: CreateWithdrawalCommit) => {
  const { sellerId, mode } = principal
  const tag = keys.tagOf(sellerId)
  return {
    ...requestKeys(principal, idempotency),
    ...eventKeys(principal),
    ...moneyKeys(principal),
    timers: keys.timersKey(tag),
    withdrawal: keys.keyWithin(tag, keys.withdrawalKey(withdrawal.id)),
    index: keys.withdrawalsKey(sellerId, mode),
    statusIndex: keys.withdrawalsKey(sellerId, mode, withdrawal.status),
    partitionIndex: keys.partitionWithdrawalsKey(tag, mode, withdrawal.status),
    day: keys.withdrawalDayKey(principal, withdrawal.day),
    pixKey: keys.keyWithin(tag, keys.pixKeyKey(decidedOn.pixKeyId)),
  }
}

/**
 * Commits a new withdrawal: `created`, or refused as `stale`, or what the Idempotency-Key holds, or a refusal of the
 * credential.
 */
const create = (client: Client, options: Options) => (commit: CreateWithdrawalCommit) => {
  const { principal, idempotency, withdrawal, decidedOn } = commit
  const call = callFunction(
    client,
    createFunction,
    creationKeys(commit),
    {
      ...requestOf(principal, idempotency),
      retentionMillis: options.retentionMillis,
      id: withdrawal.id,
      status: withdrawal.status,
      eventType: commit.eventType,
      account: withdrawal.account,
      pixValue: withdrawal.pixValue,
      amount: commit.amount,
      total: commit.total,
      movement: commit.movement,
      timers: commit.timers,
      sellerVersion: decidedOn.sellerVersion,
      pixKeyVersion: decidedOn.pixKeyVersion,
      day: {
        text: withdrawal.day,
        value: decidedOn.day.value,
        count: decidedOn.day.count,
        keptMillis: limits.withdrawalDayKeptMillis,
      },
      idempotency: { route: idempotency.route, key: idempotency.key },
    },
    { document: withdrawal.document },
  )
  return Effect.flatMap(call, readCreation(createFunction))
}

const transitionFunction = luaFunction("withdrawals.transition", {
  keys: [
    "withdrawal",
    "oldIndex",
    "newIndex",
    "oldPartitionIndex",
    "newPartitionIndex",
    ...eventKeyNames,
    ...moneyKeyNames,
    "timers",
    "day",
    "idempotency",
    "seller",
    ...exceptionKeyNames,
  ],
  texts: ["document", "exceptionDocument"],
  audited: { replies: ["applied"], id: "id" },
})

/** The keys of a transition, those of its exception apart. */
const transitionKeys = ({ withdrawal, to }: WithdrawalTransition) => {
  const { id, sellerId, mode, status: from, day, idempotency } = withdrawal
  const tag = keys.tagOf(sellerId)
  const feed = { sellerId, mode }
  return {
    withdrawal: keys.withdrawalKey(id),
    oldIndex: keys.withdrawalsKey(sellerId, mode, from),
    newIndex: keys.withdrawalsKey(sellerId, mode, to),
    oldPartitionIndex: keys.partitionWithdrawalsKey(tag, mode, from),
    newPartitionIndex: keys.partitionWithdrawalsKey(tag, mode, to),
    ...eventKeys(feed),
    ...moneyKeys(feed),
    timers: keys.timersKey(tag),
    day: keys.withdrawalDayKey(feed, day),
    idempotency: keys.idempotencyKey(sellerId, mode, idempotency.route, idempotency.key),
    seller: keys.sellerKey(sellerId),
  }
}

/**
 * Commits a transition of a withdrawal, with what it does to an exception: `applied`, or refused as `stale`, `missing` or
 * `overflow`.
 */
const transition = (client: Client, options: Options) => (commit: WithdrawalTransition) => {
  const { withdrawal, to } = commit
  const { id, sellerId, mode, status: from, version } = withdrawal
  const exception = exceptionBeside(id, commit.exception)
  const call = callFunction(
    client,
    transitionFunction,
    { ...transitionKeys(commit), ...exception.keys },
    {
      sellerId,
      mode,
      retentionMillis: options.retentionMillis,
      id,
      version,
      oldStatus: from,
      newStatus: to,
      eventType: commit.eventType,
      // What happens to one that is over ends nothing.
      isOver: isWithdrawalOver(to) && !isWithdrawalOver(from),
      dayValueBack: commit.dayValueBack,
      sellerVersion: commit.sellerVersion,
      availableMin: commit.availableMin,
      movement: commit.movement,
      timers: commit.timers,
      timersDone: commit.timersDone,
      exception: exception.change,
      idempotencyRetentionMillis: limits.idempotencyRetentionMillis,
    },
    { document: commit.document, exceptionDocument: exception.document },
  )
  return Effect.flatMap(call, readKind(transitionFunction, transitionKinds))
}

const readMany = (client: Client, ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(ids.map((id) => ["HMGET", [keys.withdrawalKey(id), ...fields]] as const)),
    (records) => records.flatMap((record, i) => readWithdrawal(ids[i] ?? "", record) ?? []),
  )

/** Reads what a request is decided on; a response saved under its Idempotency-Key takes precedence. */
const readPreconditions = (client: Client) => {
  const peek = peekIdempotency(client)
  return Effect.fnUntraced(function* (
    principal: Principal,
    idempotency: IdempotencyScope,
    pixKeyId: string,
    day: string,
  ) {
    const answer = yield* peek(principal, idempotency)
    if (answer.kind !== "none") return answer
    const pixKey = isId("pk_", pixKeyId) ? keys.pixKeyKey(pixKeyId) : undefined
    const [sellerHash, balance, spent, pixKeyHash] = yield* client.callAll([
      ["HGETALL", [keys.sellerKey(principal.sellerId)]],
      ["HMGET", [keys.balanceKey(principal), "available", "open"]],
      ["HMGET", [keys.withdrawalDayKey(principal, day), "value", "count"]],
      ...(pixKey === undefined ? [] : [["HGETALL", [pixKey]] as const]),
    ])
    const seller = readSeller(principal.sellerId, readHash(sellerHash))
    if (seller === undefined) return { kind: "sellerNotAllowed" } as const
    const found = pixKey === undefined ? undefined : readPixKey(pixKeyId, readHash(pixKeyHash))
    const isOwn = found?.sellerId === principal.sellerId && found.mode === principal.mode
    const [available, open] = balance as ReadonlyArray<string | null>
    const [value, count] = spent as ReadonlyArray<string | null>
    return {
      kind: "open",
      seller,
      pixKey: isOwn ? found : undefined,
      available: Number(available ?? 0),
      openWithdrawalId: open || undefined,
      day: { value: Number(value ?? 0), count: Number(count ?? 0) },
    } as const
  })
}

/** Withdrawals on Redis. */
export const WithdrawalStoreLive = Layer.effect(
  WithdrawalStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    const readPage = Effect.fnUntraced(function* (principal: Principal, page: WithdrawalPage) {
      const [max, min] = idRange("wd_", page)
      const index = keys.withdrawalsKey(principal.sellerId, principal.mode, page.status)
      const [check, ids] = yield* client.callAll([
        apiKeyCheck(principal),
        ["ZRANGE", [index, max, min, "BYLEX", "REV", "LIMIT", 0, page.limit]],
      ])
      if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) {
        return { kind: "keyInvalid" } as const
      }
      return yield* readMany(client, ids as ReadonlyArray<string>)
    })

    return WithdrawalStore.of({
      readPreconditions: readPreconditions(client),
      create: create(client, options),
      transition: transition(client, options),
      get: makeReadOwn(client, keys.withdrawalKey, fields, readWithdrawal),
      load: (id) =>
        Effect.map(client.call("HMGET", [keys.withdrawalKey(id), ...fields]), (reply) =>
          readWithdrawal(id, reply),
        ),
      loadMany: (ids) => readMany(client, ids),
      list: (principal, page) => readListed(isOfStatus(page.status), readPage(principal, page)),
      listForOperator: ({ status, mode, beforeId, limit }) =>
        newestOfPartitions(
          client,
          options.partitions,
          (tag) => keys.partitionWithdrawalsKey(tag, mode, status),
          beforeId,
          limit,
        ).pipe(
          Effect.flatMap((ids) => readMany(client, ids)),
          (read) => readListed(isOfStatus(status), read),
        ),
      listOldestForOperator: ({ status, mode, afterId, limit }) =>
        oldestOfPartitions(
          client,
          options.partitions,
          (tag) => keys.partitionWithdrawalsKey(tag, mode, status),
          afterId,
          limit,
        ).pipe(
          Effect.flatMap((ids) => readMany(client, ids)),
          (read) => readListed(isOfStatus(status), read),
        ),
    })
  }),
)
