import { Effect, Layer } from "effect"
import { type TransactionPage, TransactionStore } from "../../../actors/ports/transactionStore.ts"
import type { ChargeLookup } from "../../../actors/values/chargeLookups.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { apiKeyCheck, isKeyValid } from "../apiKeys/apiKeyCheck.ts"
import { claimIdempotency } from "../idempotency/claimIdempotency.ts"
import { peekIdempotency } from "../idempotency/peekIdempotency.ts"
import { saveAnswer } from "../idempotency/saveAnswer.ts"
import { idRange } from "../idRange.ts"
import * as keys from "../keys.ts"
import { isOfStatus, readListed } from "../readListed.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { lookupDigest } from "../series/chargeLookup.ts"
import { StoreOptions } from "../storeOptions.ts"
import { createTransaction } from "./createTransaction.ts"
import { chargeFields, readTransaction } from "./transactionHash.ts"
import { transitionTransaction } from "./transitionTransaction.ts"

const loadMany = (client: RedisClient["Service"], ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(ids.map((id) => ["HMGET", [keys.transactionKey(id), ...chargeFields]] as const)),
    (records) => records.flatMap((record, i) => readTransaction(ids[i] ?? "", record) ?? []),
  )

const readPage = (client: RedisClient["Service"]) =>
  Effect.fnUntraced(function* (principal: Principal, page: TransactionPage) {
    const index = keys.transactionsKey(principal.sellerId, principal.mode, page.status)
    const [max, min] = idRange("txn_", page)
    const [check, ids] = yield* client.callAll([
      apiKeyCheck(principal),
      ["ZRANGE", [index, max, min, "BYLEX", "REV", "LIMIT", 0, page.limit]],
    ])
    if (!isKeyValid(principal, check, yield* Effect.clockWith((clock) => clock.currentTimeMillis))) {
      return { kind: "keyInvalid" } as const
    }
    return yield* loadMany(client, ids as ReadonlyArray<string>)
  })

const list = (client: RedisClient["Service"]) => {
  const read = readPage(client)
  return (principal: Principal, page: TransactionPage) =>
    readListed(isOfStatus(page.status), read(principal, page))
}

const find = (client: RedisClient["Service"]) =>
  Effect.fnUntraced(function* (principal: Principal, by: ChargeLookup, countMax: number) {
    const digest = lookupDigest(by)
    // '!' follows the space.
    const range = [`(${digest}!`, `[${digest} `, "BYLEX", "REV", "LIMIT", 0, countMax]
    const members = (yield* client.call("ZRANGE", [
      keys.lookupKey(principal),
      ...range,
    ])) as ReadonlyArray<string>
    return yield* loadMany(
      client,
      members.map((member) => member.slice(digest.length + 1)),
    )
  })

/** Charges on Redis. */
export const TransactionStoreLive = Layer.effect(
  TransactionStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    const get = Effect.fnUntraced(function* (principal: Principal, id: string) {
      const [check, record] = yield* client.callAll([
        apiKeyCheck(principal),
        ["HMGET", [keys.transactionKey(id), ...chargeFields]],
      ])
      if (!isKeyValid(principal, check, yield* Effect.clockWith((clock) => clock.currentTimeMillis))) {
        return { kind: "keyInvalid" } as const
      }
      const found = readTransaction(id, record)
      const isOwn = found?.sellerId === principal.sellerId && found.mode === principal.mode
      return isOwn ? found : undefined
    })

    return TransactionStore.of({
      create: createTransaction(client, options),
      claim: claimIdempotency(client),
      peek: peekIdempotency(client),
      saveAnswer: saveAnswer(client),
      transition: transitionTransaction(client, options),
      get,
      load: (id) =>
        Effect.map(client.call("HMGET", [keys.transactionKey(id), ...chargeFields]), (reply) =>
          readTransaction(id, reply),
        ),
      loadMany: (ids) => loadMany(client, ids),
      find: find(client),
      list: list(client),
    })
  }),
)
