import type { ClosingDetail, DayBooks } from "../../../schema/resources/closing.ts"
import { type Bucket, buckets } from "../../../schema/resources/ledger.ts"
import { type Block, fields, heading, note, table } from "./blocks.ts"
import { money, time } from "./values.ts"

type Amounts = Readonly<Partial<Record<Bucket, number>>>

const amounts = (of: Amounts): ReadonlyArray<string> => buckets.map((bucket) => money(of[bucket] ?? 0))
const heads = buckets.map((bucket) => `>${bucket}`)

/** A day's books: a line for its opening, each kind of movement and its closing, a column for each bucket. */
const booksOf = ({ opening, movements, closing }: DayBooks): Block =>
  table(
    ["", ...heads],
    [
      ["opening", ...amounts(opening)],
      ...Object.entries(movements).map(([kind, moved]) => [kind, ...amounts(moved ?? {})]),
      ["closing", ...amounts(closing)],
    ],
  )

const partnerOf = (partner: ClosingDetail["partner"]): Block =>
  partner === null
    ? note("There are no books of an acquirer to compare with.")
    : fields(
        ["Received", money(partner.received)],
        ["Sent", money(partner.sent)],
        ["Returned", money(partner.returned)],
        ["Difference", money(partner.difference)],
        ["Balance", partner.balance === null ? "unknown" : money(partner.balance)],
        [
          "Balance beyond ours",
          partner.balance_difference === null ? "unknown" : money(partner.balance_difference),
        ],
      )

/** The closing of a day, as people read it. */
export const shownClosing = (
  closing: Omit<ClosingDetail, "next_cursor"> & { readonly more_sellers: boolean },
): ReadonlyArray<Block> => [
  fields(
    ["Day", `${closing.day} (America/Sao_Paulo)`],
    ["Mode", closing.mode],
    ["Difference", money(closing.difference)],
    ["Closed", time(closing.created_at)],
  ),
  heading("Platform"),
  booksOf(closing.platform),
  heading("Acquirer"),
  partnerOf(closing.partner),
  heading("Sellers at the end of the day, newest first"),
  table(
    ["Seller", ...heads],
    closing.sellers.map((seller) => [seller.seller_id, ...amounts(seller.closing)]),
  ),
  ...(closing.more_sellers
    ? [note("There are more sellers: GET /v1/admin/closings/{day} lists them all.")]
    : []),
]
