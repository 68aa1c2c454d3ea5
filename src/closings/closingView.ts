import { Effect } from "effect"
import {
  ClosingStore,
  type DayMovements,
  type PartnerDay,
  type StoredClosing,
} from "../../actors/ports/closingStore.ts"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { subtract, totalOf } from "../../actors/values/closing.ts"
import { dayEndMillis } from "../../actors/values/saoPauloDays.ts"
import { type Mode, makeId } from "../../schema/ids.ts"
import type {
  Closing,
  ClosingDetail,
  DayBooks,
  PartnerBooks,
  SellerDayBooks,
} from "../../schema/resources/closing.ts"

/** A closing as a list shows it. */
export const closingResource = (mode: Mode, { day, partner, createdAtMillis }: StoredClosing): Closing => ({
  object: "closing",
  day,
  mode,
  difference: partner?.difference ?? 0,
  created_at: new Date(createdAtMillis).toISOString(),
})

const shownPartner = ({ balanceDifference, ...partner }: PartnerDay): PartnerBooks => ({
  ...partner,
  balance_difference: balanceDifference,
})

/** The books of a day from the newest closing up to it: where that is of an earlier day, nothing moved since. */
const booksOf = (day: string, found: DayMovements): DayBooks => {
  const movements = found.day === day ? found.movements : {}
  return { opening: subtract(found.closing, totalOf(movements)), movements, closing: found.closing }
}

/** All ids of sellers that were made on a day or before are below it. */
const sellersUpTo = (day: string): string => makeId("sel_", dayEndMillis(day) + 1, 0, new Uint8Array(14))

/** A page of a closing: `nextBeforeId` asks for the sellers after it. */
export interface ClosingPage {
  readonly closing: Omit<ClosingDetail, "next_cursor">
  readonly nextBeforeId: string | undefined
}

/** Reads closings with their sellers, page by page; undefined for a day that is not closed. */
export const makeClosingView = Effect.gen(function* () {
  const store = yield* ClosingStore
  const sellers = yield* SellerStore

  return Effect.fnUntraced(function* (
    mode: Mode,
    day: string,
    page: { readonly beforeId: string | undefined; readonly limit: number },
  ) {
    const found = yield* store.get(mode, day)
    if (found === undefined) return undefined
    const query = { status: undefined, kycStatus: undefined, limit: page.limit }
    const beforeId = page.beforeId ?? sellersUpTo(day)
    const { sellers: shown, nextBeforeId } = yield* sellers.list({ ...query, beforeId })
    const days = yield* Effect.forEach(shown, ({ id }) => store.ofSeller({ sellerId: id, mode }, day), {
      concurrency: "unbounded",
    })
    const books = shown.flatMap(({ id }, i): ReadonlyArray<SellerDayBooks> => {
      const closed = days[i]
      return closed === undefined ? [] : [{ seller_id: id, ...booksOf(day, closed) }]
    })
    const answer: ClosingPage = {
      closing: {
        ...closingResource(mode, found),
        platform: booksOf(day, found),
        partner: found.partner === undefined ? null : shownPartner(found.partner),
        sellers: books,
      },
      nextBeforeId,
    }
    return answer
  })
})
