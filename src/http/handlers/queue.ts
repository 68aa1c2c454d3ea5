import { Clock, Effect } from "effect"
import { Acquirers } from "../../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { Ledger } from "../../../actors/ports/ledger.ts"
import { PixKeyStore } from "../../../actors/ports/pixKeyStore.ts"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { SeriesStore } from "../../../actors/ports/seriesStore.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { shownPixKey } from "../../../actors/seller/decisions/pixKeyDecisions.ts"
import { approvalRefusal } from "../../../actors/seller/decisions/withdrawalDecisions.ts"
import { readWithdrawal } from "../../../actors/seller/decisions/withdrawalTransitions.ts"
import { dayOf, dayStartMillis } from "../../../actors/values/saoPauloDays.ts"
import { parseException } from "../../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Case, Queue, queueGroup } from "../../../schema/api/queue.ts"
import { limits } from "../../../schema/limits.ts"
import type { GroupHandlers } from "../server/request.ts"
import { byUrgency } from "./queueOrder.ts"

/** A case without what its seller tells. */
type Found = Omit<Case, "seller_name" | "is_blocked">

/** Hours since 1970. */
const hourOf = (millis: number): number => Math.floor(millis / 3_600_000)

const perKind = limits.queuedPerKindMax
/** One more than is counted, to know whether there are more. */
const page = { beforeId: undefined, limit: perKind + 1 }

/** Makes the queue of operators (`docs/contract/admin.md#queue`): live money and keys, exceptions of both modes, sellers. */
export const makeQueueHandlers = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const withdrawals = yield* WithdrawalStore
  const exceptions = yield* ExceptionStore
  const pixKeys = yield* PixKeyStore
  const sellers = yield* SellerStore
  const ledger = yield* Ledger
  const series = yield* SeriesStore

  const findWithdrawals = (kind: "withdrawal" | "payout", status: "awaiting" | "approved") =>
    Effect.map(
      withdrawals.listOldestForOperator({ mode: "live", status, afterId: undefined, limit: page.limit }),
      (found) =>
        found.map((stored): Found => {
          const { id, mode, amount, pix_key, created_at, approved_at } = readWithdrawal(stored)
          const since = kind === "payout" ? (approved_at ?? created_at) : created_at
          const about = { seller_id: stored.sellerId, detail: pix_key.value }
          return { kind, id, mode, amount, ...about, created_at: since }
        }),
    )

  const findPayouts =
    acquirers.live.hasManualPayouts === true
      ? findWithdrawals("payout", "approved")
      : Effect.succeed<ReadonlyArray<Found>>([])

  const findExceptions = Effect.map(exceptions.list({ state: "open", kind: undefined, ...page }), (found) =>
    found.map((stored): Found => {
      const { id, mode, amount, kind: detail, seller_id, created_at } = parseException(stored.document)
      return { kind: "exception", id, mode, amount, detail, seller_id, created_at }
    }),
  )

  const findPixKeys = Effect.map(
    pixKeys.listForOperator({ mode: "live", status: "pending_approval", ...page }),
    (found) =>
      found.map((stored): Found => {
        const { id, mode, value: detail, created_at } = shownPixKey(stored)
        return { kind: "pix_key", id, mode, amount: null, detail, seller_id: stored.sellerId, created_at }
      }),
  )

  const findSellers = Effect.map(
    sellers.list({ status: undefined, kycStatus: "pending", ...page }),
    (found) =>
      found.sellers.map(({ id, legalName, createdAt: created_at }): Found => {
        const detail = legalName ?? null
        return { kind: "seller", id, mode: null, amount: null, detail, seller_id: id, created_at }
      }),
  )

  const isBlocked = Effect.fnUntraced(function* (
    { kind, id, mode, seller_id: sellerId }: Found,
    seller: StoredSeller | undefined,
    nowMillis: number,
  ): Effect.fn.Return<boolean, StoreUnavailable> {
    if ((kind !== "withdrawal" && kind !== "payout") || mode === null || sellerId === null) return false
    const available = yield* ledger.available({ sellerId, mode })
    if (kind === "payout") return available < 0
    return approvalRefusal(seller, { id, mode, sellerId }, available, nowMillis) !== undefined
  })

  const withSellers = Effect.fnUntraced(function* (found: ReadonlyArray<Found>, nowMillis: number) {
    const ids = [...new Set(found.flatMap(({ seller_id }) => (seller_id === null ? [] : [seller_id])))]
    const known = yield* Effect.forEach(ids, sellers.get, { concurrency: "unbounded" })
    const byId = new Map(known.flatMap((seller) => (seller === undefined ? [] : [[seller.id, seller]])))
    return yield* Effect.forEach(
      found,
      Effect.fnUntraced(function* (one): Effect.fn.Return<Case, StoreUnavailable> {
        const seller = one.seller_id === null ? undefined : byId.get(one.seller_id)
        const is_blocked = yield* isBlocked(one, seller, nowMillis)
        return { ...one, seller_name: seller?.name ?? null, is_blocked }
      }),
      { concurrency: "unbounded" },
    )
  })

  const readQueue = Effect.gen(function* () {
    const found = yield* Effect.all(
      [findWithdrawals("withdrawal", "awaiting"), findPayouts, findExceptions, findPixKeys, findSellers],
      { concurrency: "unbounded" },
    )
    const nowMillis = yield* Clock.currentTimeMillis
    const counted = found.map((cases) => cases.slice(0, perKind))
    const [ofWithdrawals = [], ofPayouts = [], ofExceptions = [], ofPixKeys = [], ofSellers = []] = counted
    const first = counted.flat().toSorted(byUrgency(nowMillis)).slice(0, limits.pageSizeMax)
    const queue: Queue = {
      object: "queue",
      data: yield* withSellers(first, nowMillis),
      counts: {
        withdrawals: ofWithdrawals.length,
        payouts: ofPayouts.length,
        exceptions: ofExceptions.length,
        pix_keys: ofPixKeys.length,
        sellers: ofSellers.length,
      },
      received_today: yield* series.received({
        fromHour: hourOf(dayStartMillis(dayOf(nowMillis))),
        toHour: hourOf(nowMillis),
      }),
      to_pay: [...ofWithdrawals, ...ofPayouts].reduce((sum, { amount }) => sum + (amount ?? 0), 0),
      is_complete: found.every(({ length }) => length <= perKind),
    }
    return queue
  })

  const handlers: GroupHandlers<typeof queueGroup> = {
    getQueue: () => Effect.map(readQueue, (queue) => ({ status: 200, body: JSON.stringify(queue) })),
  }
  return handlers
})
