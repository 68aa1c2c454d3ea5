import { Effect } from "effect"
import type { AcquirerBooks, BooksPage, ReceivedPix, SentPayout } from "../../actors/ports/acquirer.ts"
import type { PartnerDay } from "../../actors/ports/closingStore.ts"
import type { StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import type { StoredTransaction } from "../../actors/ports/transactionStore.ts"
import type { Movements } from "../../actors/values/closing.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import { transactionIdOfTxid, withdrawalIdOfPayout } from "../../schema/ids.ts"
import type { LedgerKind } from "../../schema/resources/ledger.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { millisOf, type Stretch } from "./ledgers.ts"

/** What the comparison reads of ours. */
export interface OurBooks<E> {
  /** All live movements of the day. */
  readonly movements: Movements
  /** Shows all live entries of a stretch. */
  readonly eachEntry: (stretch: Stretch, visit: (entry: StoredLedgerEntry) => void) => Effect.Effect<void, E>
  readonly charge: (id: string) => Effect.Effect<StoredTransaction | undefined, StoreUnavailable>
}

const receivedKinds: ReadonlyArray<LedgerKind> = ["charge_paid", "payment_credited"]
const sentKinds: ReadonlyArray<LedgerKind> = ["withdrawal_settled", "payout_debited"]

/** What went to the outside world by entries of some kinds. */
const externalOf = (movements: Movements, kinds: ReadonlyArray<LedgerKind>): number =>
  kinds.reduce((sum, kind) => sum + (movements[kind]?.external ?? 0), 0)

const isWithin = ({ fromMillis, toMillis }: Stretch, millis: number): boolean =>
  millis >= fromMillis && millis <= toMillis

/** The stretches around both midnights, in which the acquirer and we may date one movement differently. */
const edgesOf = ({ fromMillis, toMillis }: Stretch): ReadonlyArray<Stretch> =>
  [fromMillis, toMillis + 1].map((midnight) => ({
    fromMillis: midnight - closingLimits.delayMillis,
    toMillis: midnight + closingLimits.delayMillis - 1,
  }))

/** Reads the acquirer's lists over the day and its edges, and shows each item once: pages may repeat items. */
const eachItem = Effect.fnUntraced(function* <A, E>(
  list: (page: string | undefined) => Effect.Effect<BooksPage<A>, E>,
  idOf: (item: A) => string | undefined,
  visit: (items: ReadonlyArray<A>) => Effect.Effect<void, StoreUnavailable>,
) {
  const seen = new Set<string>()
  const isNew = (item: A): boolean => {
    const id = idOf(item)
    if (id === undefined) return true
    const before = seen.size
    return seen.add(id).size > before
  }
  let page: string | undefined
  do {
    const { items, next, unreadableCount = 0 } = yield* list(page)
    if (unreadableCount > 0) {
      yield* Effect.logError(
        `a closing leaves out what cannot be read of the acquirer's books: ${unreadableCount} items`,
      )
    }
    yield* visit(items.filter(isNew))
    page = next
  } while (page !== undefined)
})

/** Sums of the acquirer's day, and when it dates what lies around midnight. */
class PartnerSums {
  received = 0
  sent = 0
  returned = 0
  /** What of the same Pix went back by our own charges. */
  ourReturned = 0
  /** The acquirer's time of what it did near midnight, by our id of it. */
  readonly edgeMillis = new Map<string, number>()
  readonly day: Stretch
  readonly #edges: ReadonlyArray<Stretch>

  constructor(day: Stretch) {
    this.day = day
    this.#edges = edgesOf(day)
  }

  /** Notes when the acquirer did something, and returns whether it counts. What has no time counts in the day asked for. */
  counts(ourId: string | undefined, millis: number | undefined): boolean {
    if (millis === undefined) return true
    if (ourId !== undefined && this.#edges.some((edge) => isWithin(edge, millis))) {
      this.edgeMillis.set(ourId, millis)
    }
    return isWithin(this.day, millis)
  }

  addPayouts(payouts: ReadonlyArray<SentPayout>): void {
    for (const { payoutId, amount, status, sentMillis } of payouts) {
      if (status !== "paid" && status !== "returned") continue
      const ourId = payoutId === undefined ? undefined : withdrawalIdOfPayout(payoutId)
      if (this.counts(ourId, sentMillis)) this.sent += amount
    }
  }
}

const returnedOf = ({ refunds }: ReceivedPix): number =>
  refunds.reduce((sum, { amount, status }) => (status === "done" ? sum + amount : sum), 0)

/** Adds Pix that came in, and what our charges say went back of them. */
const addReceived = Effect.fnUntraced(function* (
  sums: PartnerSums,
  charge: OurBooks<never>["charge"],
  items: ReadonlyArray<ReceivedPix>,
) {
  const add = Effect.fnUntraced(function* (pix: ReceivedPix) {
    const ourId = pix.txid === undefined ? undefined : transactionIdOfTxid(pix.txid)
    if (!sums.counts(ourId, pix.receivedMillis)) return
    sums.received += pix.amount
    sums.returned += returnedOf(pix)
    const stored = ourId === undefined ? undefined : yield* charge(ourId)
    if (stored === undefined) return
    const { end_to_end_id, refunded_amount } = JSON.parse(stored.document) as Transaction
    // Another Pix paid the charge: what went back of this one is no refund of ours.
    if (end_to_end_id === pix.endToEndId) sums.ourReturned += refunded_amount
  })
  yield* Effect.forEach(items, add, { concurrency: closingLimits.chargesAtOnce, discard: true })
})

/**
 * Compares the acquirer's day with our ledgers'. What one of the two dates before midnight and the other after it counts in
 * the acquirer's day, so it is in no difference (docs/contract/closings.md#partner).
 */
export const comparePartner = Effect.fnUntraced(function* <E>(
  books: AcquirerBooks,
  day: Stretch,
  ours: OurBooks<E>,
) {
  const sums = new PartnerSums(day)
  const [first, last] = edgesOf(day)
  const window = { fromMillis: first?.fromMillis ?? 0, toMillis: last?.toMillis ?? 0 }
  yield* eachItem(
    (page) => books.listReceived(window, page),
    ({ endToEndId }) => endToEndId,
    (items) => addReceived(sums, ours.charge, items),
  )
  yield* eachItem(
    (page) => books.listSent(window, page),
    ({ payoutId, endToEndId }) => payoutId ?? endToEndId,
    (items) => Effect.sync(() => sums.addPayouts(items)),
  )
  let ourReceived = -externalOf(ours.movements, receivedKinds)
  let ourSent = externalOf(ours.movements, sentKinds)
  const move = (entry: StoredLedgerEntry): void => {
    const partnerMillis = sums.edgeMillis.get(entry.resourceId)
    if (partnerMillis === undefined) return
    const sign = Number(isWithin(day, partnerMillis)) - Number(isWithin(day, millisOf(entry)))
    const external = entry.postings.find(({ bucket }) => bucket === "external")?.amount ?? 0
    if (receivedKinds.includes(entry.kind)) ourReceived -= sign * external
    if (sentKinds.includes(entry.kind)) ourSent += sign * external
  }
  if (sums.edgeMillis.size > 0) for (const edge of edgesOf(day)) yield* ours.eachEntry(edge, move)
  const { received, sent, returned } = sums
  const difference = received - ourReceived - (sent - ourSent) - (returned - sums.ourReturned)
  const found: PartnerDay = { received, sent, returned, difference }
  return found
})
