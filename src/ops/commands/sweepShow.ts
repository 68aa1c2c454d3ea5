import { Effect } from "effect"
import { Command } from "effect/cli"
import { type AcceptedItem, SweepStore, type UnreadItem } from "../../../actors/ports/sweepStore.ts"
import { answer } from "../answer.ts"
import { type Block, fields, heading, note } from "../text/blocks.ts"
import { count, time } from "../text/values.ts"

/** An ISO time; null for one that never was. */
const timeOf = (millis: number): string | null => (millis === 0 ? null : new Date(millis).toISOString())

/** An item as commands print it. */
const shownItem = (item: UnreadItem) => ({
  item: item.digest,
  list: item.list,
  end_to_end_id: item.endToEndId ?? null,
  payout_id: item.payoutId ?? null,
  txid: item.txid ?? null,
  problem: item.problem,
  window: { from: timeOf(item.window.fromMillis), to: timeOf(item.window.toMillis) },
  page: item.page ?? null,
  position: item.position,
})

/** In the order in which a sweep reads. */
const byPlace = (a: UnreadItem, b: UnreadItem): number =>
  a.list.localeCompare(b.list) ||
  (a.page ?? "").localeCompare(b.page ?? "", "en", { numeric: true }) ||
  a.position - b.position

/** An accepted item as commands print it. */
export const shownAccepted = (item: AcceptedItem) => ({
  ...shownItem(item),
  accepted_at: timeOf(item.acceptedMillis),
  reason: item.reason,
})

const show = Effect.fnUntraced(function* () {
  const store = yield* SweepStore
  const accounts = yield* Effect.forEach(
    yield* store.accounts,
    Effect.fnUntraced(function* (account) {
      const state = yield* store.load(account)
      const { open, accepted } = yield* store.unread(account)
      return {
        account,
        last_complete_began_at: timeOf(state.beganMillis),
        compared_to: timeOf(state.completedToMillis),
        unreadable_count: state.unreadableCount,
        unreadable: open.toSorted(byPlace).map(shownItem),
        accepted: accepted.toSorted((a, b) => b.acceptedMillis - a.acceptedMillis).map(shownAccepted),
      }
    }),
  )
  return { accounts }
})

type Account = Effect.Success<ReturnType<typeof show>>["accounts"][number]

const windowText = ({ from, to }: ReturnType<typeof shownItem>["window"]): string =>
  `${time(from)} to ${time(to)}`

/** An item's facts, one a line: its digest is long, and there to be copied. */
const itemFields = (item: ReturnType<typeof shownItem>): Block =>
  fields(
    ["Item", item.item],
    ["List", item.list],
    ["End-to-end id", item.end_to_end_id],
    ["Payout", item.payout_id],
    ["txid", item.txid],
    ["Problem", item.problem],
    ["Window", windowText(item.window)],
    ["Page, position", `${item.page ?? "-"}, ${item.position}`],
  )

/** An accepted item's facts. */
export const acceptedFields = (item: ReturnType<typeof shownAccepted>): ReadonlyArray<Block> => [
  itemFields(item),
  fields(["Accepted", time(item.accepted_at)], ["Reason", item.reason]),
]

const shownAccount = (account: Account): ReadonlyArray<Block> => [
  heading(`Account ${account.account}`),
  fields(
    ["Last complete sweep began", time(account.last_complete_began_at)],
    ["Compared up to", time(account.compared_to)],
    ["Unreadable items", count(account.unreadable_count)],
    ["Accepted items", count(account.accepted.length)],
  ),
  ...(account.unreadable.length === 0 ? [] : [heading("Unreadable")]),
  ...account.unreadable.map(itemFields),
  ...(account.accepted.length === 0 ? [] : [heading("Accepted")]),
  ...account.accepted.flatMap(acceptedFields),
]

const shownSweeps = ({ accounts }: { readonly accounts: ReadonlyArray<Account> }): ReadonlyArray<Block> =>
  accounts.length === 0 ? [note("No account has been swept yet.")] : accounts.flatMap(shownAccount)

export const sweepShow = Command.make("show", {}, answer(show, shownSweeps)).pipe(
  Command.withDescription(
    "Print, for each acquirer account, up to when its books are compared with ours, the items that the last sweep could not read, and those that operators have accepted.",
  ),
)
