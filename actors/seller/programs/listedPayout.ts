import { Clock, Effect } from "effect"
import { payoutIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { traceIdOf } from "../../../schema/trace.ts"
import { type AcquirerBooks, Acquirers, type BooksPage, type SentPayout } from "../../ports/acquirer.ts"
import type { StoredWithdrawal } from "../../ports/withdrawalStore.ts"
import { readWithdrawal } from "../decisions/withdrawalTransitions.ts"
import { boundedCall } from "./acquirerCalls.ts"

/** What the acquirer's list of sent payouts says of one: its item, that there is none, or nothing. */
export type ListedPayoutAnswer =
  | { readonly kind: "listed"; readonly payout: SentPayout }
  | { readonly kind: "absent" }
  | { readonly kind: "silent"; readonly reason: string }

const find = Effect.fnUntraced(function* (
  listSent: NonNullable<AcquirerBooks["listSent"]>,
  payoutId: string,
  fromMillis: number,
  toMillis: number,
) {
  let next: string | undefined
  do {
    const page: BooksPage<SentPayout> = yield* listSent({ fromMillis, toMillis }, next)
    const payout = page.items.find((item) => item.payoutId === payoutId)
    if (payout !== undefined) return { kind: "listed", payout } as const
    next = page.next
  } while (next !== undefined)
  return { kind: "absent" } as const
})

/**
 * Makes the program that looks a withdrawal's payout up in its acquirer's list of sent payouts, from when it was handed over. The list
 * may know what the query of a single payout does not (docs/partner.md#unconfirmed-items). Of an acquirer without such a list it is absent.
 */
export const makeListedPayout = Effect.map(Acquirers, (acquirers) =>
  Effect.fnUntraced(function* (stored: StoredWithdrawal): Effect.fn.Return<ListedPayoutAnswer> {
    const listSent = acquirers[stored.mode].books?.listSent
    const { processing_at, updated_at } = readWithdrawal(stored)
    if (listSent === undefined) return { kind: "absent" }
    const fromMillis = Date.parse(processing_at ?? updated_at) - limits.sweepOverlapMillis
    const toMillis = (yield* Clock.currentTimeMillis) + limits.acquirerClockAheadMillis
    const call = find(listSent, payoutIdOf(stored.id), fromMillis, toMillis)
    return yield* boundedCall("list sent payouts", call, traceIdOf(stored.document)).pipe(
      Effect.catch(({ reason }) => Effect.succeed({ kind: "silent", reason } as const)),
    )
  }),
)
