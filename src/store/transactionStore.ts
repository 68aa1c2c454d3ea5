import { Effect, Layer } from "effect"
import {
  type Principal,
  type StoredTransaction,
  type TransactionPage,
  TransactionStore,
} from "../../actors/ports/transactionStore.ts"
import type { Mode } from "../../schema/ids.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import { apiKeyCheck, isKeyValid } from "./apiKeyCheck.ts"
import { claimIdempotency } from "./commands/claimIdempotency.ts"
import { createTransaction } from "./commands/createTransaction.ts"
import { peekIdempotency } from "./commands/peekIdempotency.ts"
import { saveAnswer } from "./commands/saveAnswer.ts"
import { transitionTransaction } from "./commands/transitionTransaction.ts"
import { idRange } from "./idRange.ts"
import * as keys from "./keys.ts"
import { RedisClient, type Reply } from "./redisClient.ts"
import { StoreOptions } from "./storeOptions.ts"

const fields = ["seller", "mode", "status", "version", "document", "account"] as const

const readTransaction = (id: string, reply: Reply | undefined): StoredTransaction | undefined => {
  const [sellerId, mode, status, version, document, account] = reply as ReadonlyArray<string | null>
  if (!sellerId || !document) return undefined
  return {
    id,
    sellerId,
    mode: mode as Mode,
    status: status as TransactionStatus,
    version: Number(version),
    document,
    ...(account ? { account } : {}),
  }
}

const list = (client: RedisClient["Service"]) =>
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
    const found = ids as ReadonlyArray<string>
    const records = yield* client.callAll(
      found.map((id) => ["HMGET", [keys.transactionKey(id), ...fields]] as const),
    )
    return records.flatMap((record, i) => readTransaction(found[i] ?? "", record) ?? [])
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
        ["HMGET", [keys.transactionKey(id), ...fields]],
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
        Effect.map(client.call("HMGET", [keys.transactionKey(id), ...fields]), (reply) =>
          readTransaction(id, reply),
        ),
      list: list(client),
    })
  }),
)
