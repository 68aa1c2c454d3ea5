import { Clock, Effect, Layer } from "effect"
import {
  type StoredWithdrawal,
  type WithdrawalPage,
  WithdrawalStore,
} from "../../../actors/ports/withdrawalStore.ts"
import type { IdempotencyScope } from "../../../actors/values/idempotency.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { isId, type Mode } from "../../../schema/ids.ts"
import type { WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import { apiKeyCheck, isKeyValid } from "../apiKeys/apiKeyCheck.ts"
import { peekIdempotency } from "../idempotency/peekIdempotency.ts"
import { idRange } from "../idRange.ts"
import * as keys from "../keys.ts"
import { newestOfPartitions, oldestOfPartitions } from "../partitions/newestOfPartitions.ts"
import { readPixKey } from "../pixKeys/pixKeyHash.ts"
import { isOfStatus, readListed } from "../readListed.ts"
import { RedisClient, type Reply } from "../redis/redisClient.ts"
import { readHash, readSeller } from "../sellers/sellerHash.ts"
import { StoreOptions } from "../storeOptions.ts"
import { createWithdrawal } from "./createWithdrawal.ts"
import { transitionWithdrawal } from "./transitionWithdrawal.ts"

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

const readMany = (client: RedisClient["Service"], ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(ids.map((id) => ["HMGET", [keys.withdrawalKey(id), ...fields]] as const)),
    (records) => records.flatMap((record, i) => readWithdrawal(ids[i] ?? "", record) ?? []),
  )

/** Reads what a request is decided on; a response saved under its Idempotency-Key takes precedence. */
const readPreconditions = (client: RedisClient["Service"]) => {
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

    const get = Effect.fnUntraced(function* (principal: Principal, id: string) {
      const [check, record] = yield* client.callAll([
        apiKeyCheck(principal),
        ["HMGET", [keys.withdrawalKey(id), ...fields]],
      ])
      if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) {
        return { kind: "keyInvalid" } as const
      }
      const found = readWithdrawal(id, record)
      return found?.sellerId === principal.sellerId && found.mode === principal.mode ? found : undefined
    })

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
      create: createWithdrawal(client, options),
      transition: transitionWithdrawal(client, options),
      get,
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
