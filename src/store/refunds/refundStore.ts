import { Clock, Effect, Layer } from "effect"
import { type RefundPage, RefundStore, type StuckRefunds } from "../../../actors/ports/refundStore.ts"
import type { IdempotencyScope } from "../../../actors/values/idempotency.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { isId } from "../../../schema/ids.ts"
import { apiKeyCheck, isKeyValid } from "../apiKeys/apiKeyCheck.ts"
import { peekIdempotency } from "../idempotency/peekIdempotency.ts"
import { idRange } from "../idRange.ts"
import * as keys from "../keys.ts"
import { isOfStatus, readListed } from "../readListed.ts"
import { RedisClient, type RedisCommand } from "../redis/redisClient.ts"
import { readHash, readSeller } from "../sellers/sellerHash.ts"
import { StoreOptions } from "../storeOptions.ts"
import { chargeFields, readTransaction } from "../transactions/transactionHash.ts"
import { createRefund } from "./createRefund.ts"
import { noteStuckRefund } from "./noteStuckRefund.ts"
import { readRefund, refundFields } from "./refundHash.ts"
import { transitionRefund } from "./transitionRefund.ts"

type Client = RedisClient["Service"]

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

    const get = Effect.fnUntraced(function* (principal: Principal, id: string) {
      const [check, record] = yield* client.callAll([
        apiKeyCheck(principal),
        ["HMGET", [keys.refundKey(id), ...refundFields]],
      ])
      if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) {
        return { kind: "keyInvalid" } as const
      }
      const found = readRefund(id, record)
      return found !== undefined && isOf(principal, found) ? found : undefined
    })

    return RefundStore.of({
      readPreconditions: readPreconditions(client),
      create: createRefund(client, options),
      transition: transitionRefund(client, options),
      get,
      load: (id) =>
        Effect.map(client.call("HMGET", [keys.refundKey(id), ...refundFields]), (reply) =>
          readRefund(id, reply),
        ),
      list: list(client),
      noteStuck: noteStuckRefund(client),
      stuck: () => readStuck(client, options.partitions),
    })
  }),
)
