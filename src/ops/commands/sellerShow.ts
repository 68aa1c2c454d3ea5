import { Clock, Effect } from "effect"
import { Command } from "effect/cli"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import { transactionStatuses } from "../../../schema/resources/transaction.ts"
import { sellerProfile } from "../../accounts/sellers/sellerProfiles.ts"
import { endpointResource } from "../../accounts/webhookSettings/endpoints.ts"
import * as keys from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { answer } from "../answer.ts"
import { word } from "../parameters.ts"
import { knownSeller } from "./knownSeller.ts"

const endpointsOf = Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
  const sellers = yield* SellerStore
  return (yield* sellers.listEndpoints(sellerId, mode)).map(endpointResource)
})

/** Number of a mode's transactions in each status. */
const countTransactions = Effect.fnUntraced(function* (sellerId: string, mode: Mode) {
  const client = yield* RedisClient
  const counts = yield* client.callAll(
    transactionStatuses.map((status) => ["ZCARD", [keys.transactionsKey(sellerId, mode, status)]]),
  )
  return Object.fromEntries(transactionStatuses.map((status, i) => [status, Number(counts[i])]))
})

export const sellerShow = Command.make(
  "show",
  { seller: word("seller", "SELLER", "The seller's id, sel_…") },
  answer(
    Effect.fnUntraced(function* ({ seller: sellerId }) {
      const seller = yield* knownSeller(sellerId)
      const profile = sellerProfile(seller, yield* SecretOpener, yield* Clock.currentTimeMillis)
      return {
        seller: { ...profile, legal_name: seller.legalName ?? null, user_id: seller.userId },
        endpoints: {
          live: yield* endpointsOf(sellerId, "live"),
          test: yield* endpointsOf(sellerId, "test"),
        },
        transactions: {
          live: yield* countTransactions(sellerId, "live"),
          test: yield* countTransactions(sellerId, "test"),
        },
      }
    }),
  ),
).pipe(
  Command.withDescription(
    "Print a seller, its webhook endpoints without their secrets, and how many transactions it has in each status.",
  ),
)
