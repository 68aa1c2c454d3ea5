import { Clock, Effect } from "effect"
import { Command } from "effect/cli"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { type Mode, modes } from "../../../schema/ids.ts"
import type { Endpoint } from "../../../schema/resources/endpoint.ts"
import { transactionStatuses } from "../../../schema/resources/transaction.ts"
import { sellerProfile } from "../../accounts/sellers/sellerProfiles.ts"
import { endpointResource } from "../../accounts/webhookSettings/endpoints.ts"
import * as keys from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { answer } from "../answer.ts"
import { word } from "../parameters.ts"
import { type Block, fields, heading, table } from "../text/blocks.ts"
import { count, money, percent, time } from "../text/values.ts"
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

const show = Effect.fnUntraced(function* ({ seller: sellerId }: { readonly seller: string }) {
  const seller = yield* knownSeller(sellerId)
  const profile = sellerProfile(seller, yield* SecretOpener, yield* Clock.currentTimeMillis)
  return {
    seller: {
      ...profile,
      legal_name: seller.legalName ?? null,
      payer_name: seller.payerName ?? null,
      user_id: seller.userId,
    },
    endpoints: {
      live: yield* endpointsOf(sellerId, "live"),
      test: yield* endpointsOf(sellerId, "test"),
    },
    transactions: {
      live: yield* countTransactions(sellerId, "live"),
      test: yield* countTransactions(sellerId, "test"),
    },
  }
})

type Shown = Effect.Success<ReturnType<typeof show>>

const shownProfile = ({ settings, ...seller }: Shown["seller"]): Block =>
  fields(
    ["Seller", seller.id],
    ["User", seller.user_id],
    ["Name", seller.name],
    ["Legal name", seller.legal_name],
    ["Name for payers", seller.payer_name],
    ["Document", seller.document],
    ["Status", seller.status],
    ["KYC", seller.kyc_status],
    ["Payouts locked until", time(seller.payout_locked_until)],
    ["Created", time(seller.created_at)],
    ["Fee per charge", `${percent(settings.charge_fee_bps)} and ${money(settings.charge_fee_fixed)}`],
    ["Reserve", `${percent(settings.reserve_bps)} for ${settings.reserve_days} days`],
    ["Fee per withdrawal", money(settings.withdrawal_fee)],
    [
      "Withdrawals a day",
      `${settings.withdrawal_daily_count}, of ${money(settings.withdrawal_daily_value)} in all`,
    ],
    ["Approved without operator", settings.withdrawal_auto_approval],
  )

const stateOf = ({ enabled, disabled_reason }: Endpoint): string =>
  enabled ? "enabled" : `disabled (${disabled_reason})`

const shownSeller = ({ seller, endpoints, transactions }: Shown): ReadonlyArray<Block> => [
  shownProfile(seller),
  heading("Webhook endpoints"),
  table(
    ["Mode", "Endpoint", "State", "URL", "Events"],
    modes.flatMap((mode) =>
      endpoints[mode].map((endpoint) => [
        ...[mode, endpoint.id, stateOf(endpoint), endpoint.url],
        endpoint.events.join(", "),
      ]),
    ),
  ),
  heading("Transactions"),
  table(
    ["Status", ...modes.map((mode) => `>${mode}`)],
    transactionStatuses.map((status) => [
      status,
      ...modes.map((mode) => count(transactions[mode][status] ?? 0)),
    ]),
  ),
]

export const sellerShow = Command.make(
  "show",
  { seller: word("seller", "SELLER", "The seller's id, sel_…") },
  answer(show, shownSeller),
).pipe(
  Command.withDescription(
    "Print a seller, its webhook endpoints without their secrets, and how many transactions it has in each status.",
  ),
)
