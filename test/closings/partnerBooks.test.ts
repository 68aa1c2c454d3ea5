import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  type AcquirerBooks,
  AcquirerUnavailable,
  type BooksPage,
  type BooksWindow,
  type ReceivedPix,
  type SentPayout,
} from "../../actors/ports/acquirer.ts"
import type { LedgerMovement, StoredLedgerEntry } from "../../actors/ports/ledger.ts"
import { type Movements, plusEntry } from "../../actors/values/closing.ts"
import { dayEndMillis, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import { acquirerRefundIdOf, makeId, payoutIdOf, txidOf } from "../../schema/ids.ts"
import type { LedgerKind } from "../../schema/resources/ledger.ts"
import { millisOf } from "../../src/closings/ledgers.ts"
import { comparePartner } from "../../src/closings/partnerBooks.ts"
import { held, paid } from "./closingStage.ts"

const day = { fromMillis: dayStartMillis("2026-11-21"), toMillis: dayEndMillis("2026-11-21") }
const noon = day.fromMillis + 12 * 3_600_000
const charge = (index: number) => makeId("txn_", 1_700_000_000_000 + index, 0, new Uint8Array(14))
const withdrawal = (index: number) => makeId("wd_", 1_700_000_000_000 + index, 0, new Uint8Array(14))

const pix = (
  index: number,
  amount: number,
  receivedMillis: number | undefined,
  more: Partial<ReceivedPix> = {},
) => ({
  ...{ endToEndId: `E${index}`, amount, refunds: [], txid: txidOf(charge(index)), receivedMillis },
  ...more,
})
const returned = (
  amount: number,
  status: "done" | "processing" | "failed" = "done",
  settledMillis: number | undefined = noon,
) => ({
  ...{ id: `D${amount}`, amount, kind: "refund" as const, status, settledMillis },
})
const payout = (index: number, amount: number, sentMillis: number, more: Partial<SentPayout> = {}) => ({
  ...{ payoutId: payoutIdOf(withdrawal(index)), endToEndId: `S${index}`, amount, status: "paid" as const },
  ...{ reason: undefined, returnedAmount: 0, sentMillis },
  ...more,
})

const settled = (index: number, amount: number, fee: number): LedgerMovement => ({
  ...{ kind: "withdrawal_settled", resourceType: "withdrawal", resourceId: withdrawal(index) },
  postings: [
    { bucket: "pending_withdraw", amount: -amount - fee },
    { bucket: "external", amount },
    { bucket: "fees", amount: fee },
  ],
})
const entry = (movement: LedgerMovement, atMillis: number): StoredLedgerEntry => ({
  ...movement,
  ...{ entryId: `${atMillis}-0`, seq: 1, eventEntryId: undefined },
  balance: { available: 0, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 },
})
const refund = makeId("rfd_", 1_700_000_000_000, 0, new Uint8Array(14))
const back = (kind: LedgerKind, resourceId: string, amount: number, atMillis: number) =>
  entry(
    {
      ...{ kind, resourceType: kind === "refund_settled" ? "refund" : "transaction", resourceId },
      postings: [
        { bucket: "available", amount: -amount },
        { bucket: "external", amount },
      ],
    },
    atMillis,
  )
const payment = (index: number, amount: number, atMillis: number) =>
  entry(paid(amount, 9, charge(index)), atMillis)

interface Books {
  readonly received?: ReadonlyArray<ReceivedPix>
  readonly sent?: ReadonlyArray<SentPayout>
  readonly entries?: ReadonlyArray<StoredLedgerEntry>
  /** Pix that came in before the day and its edges. */
  readonly older?: ReadonlyArray<ReceivedPix>
  /** Whether the acquirer lists what went back by itself. */
  readonly listsReturned?: boolean
  readonly listsSent?: boolean
}

/** Compares books, with lists in pages of two. */
const compare = (told: Books) => {
  const { received = [], sent = [], entries = [], older = [], listsReturned = true, listsSent = true } = told
  const pages =
    <A>(items: ReadonlyArray<A>) =>
    (_: unknown, page: string | undefined): Effect.Effect<BooksPage<A>> => {
      const from = Number(page ?? 0)
      const next = from + 2 < items.length ? String(from + 2) : undefined
      return Effect.succeed({ items: items.slice(from, from + 2), next })
    }
  const windowed = (window: BooksWindow, page: string | undefined) =>
    pages(window.toMillis > day.fromMillis ? received : older)(window, page)
  const books: AcquirerBooks = {
    listReceived: windowed,
    listReturned: listsReturned ? pages(older) : undefined,
    listSent: listsSent ? pages(sent) : undefined,
  }
  const movements = entries
    .filter((one) => millisOf(one) >= day.fromMillis && millisOf(one) <= day.toMillis)
    .reduce<Movements>(plusEntry, {})
  return comparePartner(books, day, {
    movements,
    eachEntry: ({ fromMillis, toMillis }, visit) =>
      Effect.sync(() => {
        for (const one of entries) if (millisOf(one) >= fromMillis && millisOf(one) <= toMillis) visit(one)
      }),
  })
}

describe("the acquirer's day against ours", () => {
  it.effect("what lists repeat on later pages counts once", () =>
    Effect.gen(function* () {
      const second = pix(2, 500, noon, { refunds: [returned(200)] })
      const received = [pix(1, 1_000, noon), second, second, pix(1, 1_000, noon)]
      const nameless = payout(2, 40, noon, { payoutId: undefined })
      const unsent = payout(3, 5, noon, { endToEndId: undefined })
      const sent = [payout(1, 300, noon), nameless, unsent, payout(1, 300, noon), nameless, unsent]
      const found = yield* compare({ received, sent, older: [second] })
      expect(found).toMatchObject({ received: 1_500, sent: 345, returned: 200 })
    }),
  )

  it.effect("books that agree differ by nothing: Pix, returns, payouts and our fees", () =>
    Effect.gen(function* () {
      const found = yield* compare({
        received: [
          pix(1, 1_000, noon),
          pix(2, 500, noon, { refunds: [returned(200), returned(100, "failed")] }),
          pix(3, 70, day.toMillis),
        ],
        sent: [payout(1, 300, noon), payout(2, 9, noon, { status: "notPaid" })],
        entries: [
          payment(1, 1_000, noon + 5),
          payment(2, 500, noon + 5),
          payment(3, 70, day.toMillis),
          entry(held(350), noon),
          entry(settled(1, 300, 50), noon + 9),
          back("charge_partially_refunded", charge(2), 200, noon + 9),
        ],
      })
      expect(found).toEqual({ received: 1_570, sent: 300, returned: 200, difference: 0 })
    }),
  )

  for (const [what, books, difference] of [
    ["a Pix that is none of ours", { received: [pix(1, 40, noon, { txid: undefined })] }, 40],
    ["a payment that the acquirer does not have", { entries: [payment(1, 40, noon)] }, -40],
    ["a payout that we do not have", { sent: [payout(1, 40, noon)] }, -40],
    ["a payout that the acquirer did not make", { entries: [entry(settled(1, 40, 5), noon)] }, 40],
    [
      "a return that we do not have",
      {
        received: [pix(1, 40, noon, { refunds: [returned(15)] })],
        entries: [payment(1, 40, noon)],
      },
      -15,
    ],
    [
      "a second Pix of a charge, with a return of the first",
      {
        received: [pix(1, 40, noon, { refunds: [returned(40)] }), pix(1, 40, noon, { endToEndId: "E9" })],
        entries: [payment(1, 40, noon), back("charge_refunded", charge(1), 40, noon)],
      },
      40,
    ],
    ["an unknown Pix that was sent back", { received: [pix(7, 40, noon, { refunds: [returned(40)] })] }, 0],
  ] satisfies ReadonlyArray<readonly [string, Books, number]>) {
    it.effect(`${what} is a difference of ${difference}`, () =>
      Effect.map(compare(books), (found) => expect(found.difference).toBe(difference)),
    )
  }

  const margin = closingLimits.delayMillis
  for (const [what, theirs, ours] of [
    ["received before midnight and booked after it", day.toMillis, day.toMillis + margin],
    ["of the day before, and booked on the day", day.fromMillis - margin, day.fromMillis + 5],
    ["that their clock dates after midnight, and ours before it", day.toMillis + 9, day.toMillis - 9],
    ["that their clock dates on the day, and ours before it", day.fromMillis, day.fromMillis - 3],
  ] as const) {
    it.effect(`a movement ${what} counts in the acquirer's day, and is in no difference`, () =>
      Effect.gen(function* () {
        const isTheirs = theirs >= day.fromMillis && theirs <= day.toMillis
        const found = yield* compare({
          received: [pix(1, 40, theirs), pix(2, 7, noon)],
          sent: [payout(1, 30, theirs)],
          entries: [payment(1, 40, ours), payment(2, 7, noon), entry(settled(1, 30, 5), ours)],
        })
        expect(found).toEqual({
          ...{ received: isTheirs ? 47 : 7, sent: isTheirs ? 30 : 0, returned: 0, difference: 0 },
        })
      }),
    )
  }

  for (const kind of ["charge_refunded", "charge_chargeback", "refund_settled"] as const) {
    for (const [what, theirs, ours] of [
      ["settled before midnight and booked after it", day.toMillis, day.toMillis + margin],
      ["that their clock dates after midnight, and ours before it", day.toMillis + 9, day.toMillis - 9],
      ["of the evening before, and booked on the day", day.fromMillis - margin, day.fromMillis + 5],
    ] as const) {
      it.effect(`a return (${kind}) ${what} counts in the acquirer's day, and is in no difference`, () =>
        Effect.gen(function* () {
          const isTheirs = theirs >= day.fromMillis && theirs <= day.toMillis
          const isOwn = kind === "refund_settled"
          const id = isOwn ? acquirerRefundIdOf(refund) : "D-of-the-bank"
          const found = yield* compare({
            older: [pix(1, 40, noon - 86_400_000, { refunds: [{ ...returned(40, "done", theirs), id }] })],
            entries: [back(kind, isOwn ? refund : charge(1), 40, ours)],
          })
          expect(found).toEqual({ received: 0, sent: 0, returned: isTheirs ? 40 : 0, difference: 0 })
        }),
      )
    }
  }

  for (const listsReturned of [true, false]) {
    const how = listsReturned ? "lists what went back" : "only lists all that came in"
    it.effect(`returns settled on the day of a Pix of weeks before count, where the acquirer ${how}`, () =>
      Effect.gen(function* () {
        const weeksAgo = noon - 60 * 86_400_000
        const refunds = [returned(15), returned(25, "done", noon - 86_400_000)]
        const untold = { ...returned(9), id: "D-untold", settledMillis: undefined }
        const older = [pix(1, 40, weeksAgo, { refunds: [...refunds, untold] })]
        const entries = [back("charge_partially_refunded", charge(1), 15, noon)]
        const agreed = yield* compare({ older, entries, listsReturned })
        expect(agreed).toEqual({ received: 0, sent: 0, returned: 15, difference: 0 })
        const unbooked = yield* compare({ older, listsReturned })
        expect(unbooked).toMatchObject({ returned: 15, difference: -15 })
      }),
    )
  }

  it.effect("a debit of what the bank took back of a credited Pix makes up for it", () =>
    Effect.gen(function* () {
      const older = [pix(1, 40, noon - 86_400_000, { txid: undefined, refunds: [returned(40)] })]
      const debited = { ...back("payment_debited", "exc_x", 40, noon), resourceType: "exception" as const }
      expect(yield* compare({ older, entries: [debited] })).toMatchObject({ returned: 40, difference: 0 })
    }),
  )

  it.effect("where the acquirer lists no payouts, ours count as sent", () =>
    Effect.gen(function* () {
      const entries = [payment(1, 40, noon), entry(settled(1, 30, 5), noon)]
      const found = yield* compare({ received: [pix(1, 40, noon)], entries, listsSent: false })
      expect(found).toMatchObject({ sent: 30, difference: 0 })
    }),
  )

  it.effect("what was booked over half an hour late is a difference of both days", () =>
    Effect.gen(function* () {
      const late = day.toMillis + closingLimits.delayMillis + 1
      const found = yield* compare({ received: [pix(1, 40, day.toMillis)], entries: [payment(1, 40, late)] })
      expect(found.difference).toBe(40)
    }),
  )

  it.effect("a Pix of which the acquirer tells no time counts in the day that it was asked for", () =>
    Effect.gen(function* () {
      const found = yield* compare({ received: [pix(1, 40, undefined)], entries: [payment(1, 40, noon)] })
      expect(found).toMatchObject({ received: 40, difference: 0 })
    }),
  )

  it.effect("an acquirer that does not answer leaves the comparison undone", () =>
    Effect.gen(function* () {
      const away = Effect.fail(new AcquirerUnavailable({ operation: "listReceived", reason: "away" }))
      const books: AcquirerBooks = { listReceived: () => away, listSent: () => away }
      const ours = { movements: {}, charge: () => Effect.undefined, eachEntry: () => Effect.void }
      expect(yield* Effect.flip(comparePartner(books, day, ours))).toMatchObject({
        _tag: "AcquirerUnavailable",
      })
    }),
  )
})
