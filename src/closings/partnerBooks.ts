import { Effect } from "effect"
import type { AcquirerBooks, BooksPage, ReceivedPix, SentPayout } from "../../actors/ports/acquirer.ts"
import type { PartnerDay } from "../../actors/ports/closingStore.ts"
import type { StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import type { Movements } from "../../actors/values/closing.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import { refundIdOfAcquirer, transactionIdOfTxid, withdrawalIdOfPayout } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { LedgerKind } from "../../schema/resources/ledger.ts"
import { millisOf, type Stretch } from "./ledgers.ts"

/** What the comparison reads of ours. */
export interface OurBooks<E> {
  /** All live movements of the day. */
  readonly movements: Movements
  /** Shows all live entries of a stretch. */
  readonly eachEntry: (stretch: Stretch, visit: (entry: StoredLedgerEntry) => void) => Effect.Effect<void, E>
}

const receivedKinds: ReadonlyArray<LedgerKind> = ["charge_paid", "payment_credited"]
const sentKinds: ReadonlyArray<LedgerKind> = ["withdrawal_settled", "payout_debited"]
const returnedKinds: ReadonlyArray<LedgerKind> = [
  ...(["charge_refunded", "charge_partially_refunded"] as const),
  ...(["charge_chargeback", "charge_partial_chargeback"] as const),
  ...(["refund_settled", "payment_debited"] as const),
]

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

/** Reads a list, and shows each item that it or an earlier one did not have yet: pages may repeat items. */
const eachItem = Effect.fnUntraced(function* <A, E>(
  list: (page: string | undefined) => Effect.Effect<BooksPage<A>, E>,
  idOf: (item: A) => string | undefined,
  visit: (item: A) => void,
  seen = new Set<string>(),
) {
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
    for (const item of items.filter(isNew)) visit(item)
    page = next
  } while (page !== undefined)
})

/** Names one return of a resource; two of the same amount within an hour of midnight may be taken for each other. */
const returnKeyOf = (resourceId: string, amount: number): string => `${resourceId}:${amount}`

/** Sums of the acquirer's day, and when it dates what lies around midnight. */
class PartnerSums {
  received = 0
  sent = 0
  returned = 0
  /** The acquirer's time of what it did near midnight, by our id of it. */
  readonly edgeMillis = new Map<string, number>()
  /** The same of returns, by `returnKeyOf`. */
  readonly edgeReturns = new Map<string, Array<number>>()
  readonly day: Stretch
  readonly #edges: ReadonlyArray<Stretch>

  constructor(day: Stretch) {
    this.day = day
    this.#edges = edgesOf(day)
  }

  get hasEdges(): boolean {
    return this.edgeMillis.size > 0 || this.edgeReturns.size > 0
  }

  #isNearMidnight(millis: number): boolean {
    return this.#edges.some((edge) => isWithin(edge, millis))
  }

  /** Notes when the acquirer did something, and returns whether it counts. What has no time counts in the day asked for. */
  #counts(ourId: string | undefined, millis: number | undefined): boolean {
    if (millis === undefined) return true
    if (ourId !== undefined && this.#isNearMidnight(millis)) this.edgeMillis.set(ourId, millis)
    return isWithin(this.day, millis)
  }

  addPayout({ payoutId, amount, status, sentMillis }: SentPayout): void {
    if (status !== "paid" && status !== "returned") return
    const ourId = payoutId === undefined ? undefined : withdrawalIdOfPayout(payoutId)
    if (this.#counts(ourId, sentMillis)) this.sent += amount
  }

  /** Adds a Pix of the day, and what went back of it on the day. */
  addReceived(pix: ReceivedPix): void {
    const ourId = pix.txid === undefined ? undefined : transactionIdOfTxid(pix.txid)
    if (this.#counts(ourId, pix.receivedMillis)) this.received += pix.amount
    this.addReturns(pix)
  }

  /** Adds what went back on the day, whenever the Pix came in. A return without a time of its own has that of its Pix. */
  addReturns({ txid, receivedMillis, refunds }: ReceivedPix): void {
    const chargeId = txid === undefined ? undefined : transactionIdOfTxid(txid)
    for (const { id, amount, status, settledMillis = receivedMillis } of refunds) {
      if (status !== "done" || settledMillis === undefined) continue
      if (isWithin(this.day, settledMillis)) this.returned += amount
      const ourId = refundIdOfAcquirer(id) ?? chargeId
      if (ourId === undefined || !this.#isNearMidnight(settledMillis)) continue
      const key = returnKeyOf(ourId, amount)
      this.edgeReturns.set(key, [...(this.edgeReturns.get(key) ?? []), settledMillis])
    }
  }

  /** When the acquirer did what an entry of ours near midnight booked; undefined where it did so at no such time. */
  millisOfEntry({ kind, resourceId }: StoredLedgerEntry, external: number): number | undefined {
    return returnedKinds.includes(kind)
      ? this.edgeReturns.get(returnKeyOf(resourceId, external))?.shift()
      : this.edgeMillis.get(resourceId)
  }
}

/** Shows all Pix of which something may have gone back on the day, and that came in before `beforeMillis`. */
const eachOlder = (
  { listReturned, listReceived }: AcquirerBooks,
  beforeMillis: number,
  visit: (pix: ReceivedPix) => void,
  seen: Set<string>,
) => {
  const window = { fromMillis: beforeMillis - limits.sweepReturnsMillis, toMillis: beforeMillis }
  const list = listReturned ?? listReceived
  return eachItem(
    (page) => list(window, page),
    ({ endToEndId }) => endToEndId,
    visit,
    seen,
  )
}

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
  const seen = new Set<string>()
  yield* eachItem(
    (page) => books.listReceived(window, page),
    ({ endToEndId }) => endToEndId,
    (pix) => sums.addReceived(pix),
    seen,
  )
  yield* eachOlder(books, window.fromMillis, (pix) => sums.addReturns(pix), seen)
  const { listSent } = books
  if (listSent !== undefined) {
    yield* eachItem(
      (page) => listSent(window, page),
      ({ payoutId, endToEndId }) => payoutId ?? endToEndId,
      (payout) => sums.addPayout(payout),
    )
  }
  let ourReceived = -externalOf(ours.movements, receivedKinds)
  let ourSent = externalOf(ours.movements, sentKinds)
  let ourReturned = externalOf(ours.movements, returnedKinds)
  const move = (entry: StoredLedgerEntry): void => {
    const external = entry.postings.find(({ bucket }) => bucket === "external")?.amount ?? 0
    const partnerMillis = sums.millisOfEntry(entry, external)
    if (partnerMillis === undefined) return
    const moved = external * (Number(isWithin(day, partnerMillis)) - Number(isWithin(day, millisOf(entry))))
    if (receivedKinds.includes(entry.kind)) ourReceived -= moved
    if (sentKinds.includes(entry.kind)) ourSent += moved
    if (returnedKinds.includes(entry.kind)) ourReturned += moved
  }
  if (sums.hasEdges) for (const edge of edgesOf(day)) yield* ours.eachEntry(edge, move)
  const { received, returned } = sums
  const sent = listSent === undefined ? ourSent : sums.sent
  const difference = received - ourReceived - (sent - ourSent) - (returned - ourReturned)
  return { received, sent, returned, difference } satisfies Omit<PartnerDay, "balance" | "balanceDifference">
})
