import { buckets } from "../../../../schema/names.ts"
import type { BucketAmounts, DayBooks } from "../../../../schema/resources/closing.ts"

/** A row of a day's books: where it began, what moved it, or where it ended. */
export interface BookRow {
  readonly name: string
  readonly amounts: BucketAmounts
  /** The sum over the buckets, in centavos: 0 in books that add up. */
  readonly sum: number
}

const sumOf = (amounts: BucketAmounts): number => buckets.reduce((sum, bucket) => sum + amounts[bucket], 0)

const rowOf = (name: string, amounts: BucketAmounts): BookRow => ({ name, amounts, sum: sumOf(amounts) })

/** The rows of a day's books: `opening`, each kind of movement, `closing`. */
export const bookRows = ({ opening, movements, closing }: DayBooks): ReadonlyArray<BookRow> => [
  rowOf("opening", opening),
  ...Object.entries(movements).flatMap(([kind, amounts]) =>
    amounts === undefined ? [] : [rowOf(kind, amounts)],
  ),
  rowOf("closing", closing),
]

/** Whether opening and movements make the closing, bucket by bucket, and every row sums to zero. */
export const addsUp = (books: DayBooks): boolean => {
  const moved = Object.values(books.movements).filter((amounts) => amounts !== undefined)
  const isWhole = buckets.every(
    (bucket) =>
      moved.reduce((sum, amounts) => sum + amounts[bucket], books.opening[bucket]) === books.closing[bucket],
  )
  return isWhole && bookRows(books).every(({ sum }) => sum === 0)
}
