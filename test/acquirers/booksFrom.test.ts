import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Acquirer, BooksWindow, ReceivedPix, SentPayout } from "../../actors/ports/acquirer.ts"
import { booksFrom } from "../../src/acquirers/booksFrom.ts"
import { silentAcquirer } from "../actors/support/acquirer.ts"
import { acquirerWith, emptyScript } from "../actors/support/books.ts"

const from = 1_000

const pix = (endToEndId: string, receivedMillis: number | undefined): ReceivedPix => ({
  ...{ endToEndId, amount: 1, refunds: [], txid: undefined, receivedMillis },
})
const payout = (payoutId: string, sentMillis: number | undefined): SentPayout => ({
  ...{ payoutId, endToEndId: undefined, amount: 1, status: "paid", reason: undefined, returnedAmount: 0 },
  sentMillis,
})

/** Books with an item a millisecond before, one at, one after the date, and one without a time. */
const openBooks = () => {
  const script = {
    ...emptyScript(),
    received: [
      [pix("before", from - 1), pix("at", from), pix("after", from + 1), pix("timeless", undefined)],
    ],
    sent: [
      [
        payout("before", from - 1),
        payout("at", from),
        payout("after", from + 1),
        payout("timeless", undefined),
      ],
    ],
  }
  const acquirer = acquirerWith(script)
  const returnedIn: Array<BooksWindow> = []
  const whole: Acquirer = {
    ...acquirer,
    books: {
      ...acquirer.books,
      listReturned: (window) => {
        returnedIn.push(window)
        return Effect.succeed({ items: script.received[0] ?? [], next: undefined })
      },
    },
  }
  return { script, returnedIn, whole, books: booksFrom(whole, from).books ?? acquirer.books }
}

const namesOf = (
  items: ReadonlyArray<{ readonly endToEndId?: string | undefined; readonly payoutId?: string | undefined }>,
) => items.map(({ endToEndId, payoutId }) => endToEndId ?? payoutId)
const kept = ["at", "after", "timeless"]

describe("the books of an account with a past", () => {
  it.effect("what happened before the date is left out, and what has no time stays", () =>
    Effect.gen(function* () {
      const { books, script, returnedIn } = openBooks()
      const window = { fromMillis: 0, toMillis: 5_000 }
      const { listReturned: returned, listSent: sent } = books
      if (returned === undefined || sent === undefined) return assert.fail("a list is gone")
      assert.deepStrictEqual(namesOf((yield* books.listReceived(window, undefined)).items), kept)
      assert.deepStrictEqual(namesOf((yield* sent(window, undefined)).items), kept)
      assert.deepStrictEqual(namesOf((yield* returned(window, undefined)).items), kept)
      const asked = { fromMillis: from, toMillis: 5_000 }
      assert.deepStrictEqual([...script.windows, ...returnedIn], [asked, asked])
    }),
  )

  it.effect("a window that ends before the date is empty and not asked for; one that ends at it is", () =>
    Effect.gen(function* () {
      const { books, script } = openBooks()
      const early = yield* books.listReceived({ fromMillis: 0, toMillis: from - 1 }, undefined)
      assert.deepStrictEqual(early, { items: [], next: undefined })
      assert.deepStrictEqual(script.windows, [])
      yield* books.listReceived({ fromMillis: 0, toMillis: from }, undefined)
      assert.deepStrictEqual(script.windows, [{ fromMillis: from, toMillis: from }])
    }),
  )

  it("without a date, or without books, an acquirer stays as it is", () => {
    const { whole } = openBooks()
    assert.strictEqual(booksFrom(whole, undefined), whole)
    assert.strictEqual(booksFrom(silentAcquirer, from), silentAcquirer)
  })
})
