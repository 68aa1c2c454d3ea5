import { Clock, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { isWithdrawalOver } from "../../../schema/resources/withdrawal.ts"
import { Acquirers } from "../../ports/acquirer.ts"
import { ExceptionStore } from "../../ports/exceptionStore.ts"
import { PartitionCount } from "../../ports/partitionCount.ts"
import { PixClaimStore } from "../../ports/pixClaimStore.ts"
import { SweepStore } from "../../ports/sweepStore.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../../ports/withdrawalStore.ts"
import { exceptionOfNobody, readException } from "../decisions/exceptionDocument.ts"
import { endToEndIdClaimed, otherAmountThere } from "../decisions/manualPayouts.ts"
import { readWithdrawal } from "../decisions/withdrawalTransitions.ts"
import { makeResolveByItself } from "./resolveByItself.ts"

/**
 * Makes the programs that tie a Pix which an operator paid to its withdrawal: `claim` before the withdrawal is settled by it, so that no
 * other is (docs/decisions/0101-pix-are-claimed-before-they-count.md) and that sweeps expect it in the list, and `resolveUnknown` after
 * that. Where the process dies in between, the operator's next call finds its own claim.
 */
export const makePayoutClaims = Effect.gen(function* () {
  const { live } = yield* Acquirers
  const { partitions } = yield* PartitionCount
  const claims = yield* PixClaimStore
  const exceptions = yield* ExceptionStore
  const withdrawals = yield* WithdrawalStore
  const sweeps = yield* SweepStore
  const resolveByItself = yield* makeResolveByItself

  /** Finds the `payout_unknown` that a sweep opened for a Pix before it was settled here. */
  const findUnknown = Effect.fnUntraced(function* (endToEndId: string) {
    const about = { kind: "payout_unknown", about: endToEndId, amount: 0, details: {} } as const
    const { id, fact } = exceptionOfNobody({ ...about, acquirer: live.slug }, live.account, partitions, 0)
    const known = yield* exceptions.findFact(id, fact)
    if (known !== undefined) return known
    // Where the bank gave the payout an id of its own, its fact names that.
    const page = { beforeId: undefined, limit: limits.pageSizeMax } as const
    const open = yield* exceptions.list({ state: "open", kind: "payout_unknown", ...page })
    return open.find(
      (found) => found.account === live.account && readException(found).details.end_to_end_id === endToEndId,
    )
  })

  /** Whether a withdrawal that has a claim has ended, and not by this Pix: an operator corrected the id since. */
  const isSpent = Effect.fnUntraced(function* (holder: string, endToEndId: string) {
    const other = holder.startsWith("wd_") ? yield* withdrawals.load(holder) : undefined
    return (
      other !== undefined &&
      isWithdrawalOver(other.status) &&
      readWithdrawal(other).end_to_end_id !== endToEndId
    )
  })

  /** Has sweeps look for a Pix in the list of what was sent, which nobody has seen there yet. */
  const expectListed = Effect.fnUntraced(function* (
    { id }: StoredWithdrawal,
    endToEndId: string,
    amount: number,
  ) {
    if (live.books?.listSent === undefined) return
    const status = "absent" as const
    const item = { kind: "payout", withdrawalId: id, endToEndId, amount, returnedAmount: 0, status } as const
    const sinceMillis = yield* Clock.currentTimeMillis
    yield* sweeps.noteUnconfirmed(live.account, { item, sinceMillis, sweeps: 0 })
  })

  const claim = Effect.fnUntraced(function* (stored: StoredWithdrawal, endToEndId: string) {
    const unknown = yield* findUnknown(endToEndId)
    const { amount } = readWithdrawal(stored)
    if (unknown?.state === "open" && readException(unknown).amount !== amount) {
      return yield* otherAmountThere(stored, readException(unknown).amount)
    }
    const pix = { account: live.account, endToEndId }
    const holder = yield* claims.claim(pix, stored.id)
    const isTaken = holder !== stored.id && (yield* isSpent(holder, endToEndId))
    const now = isTaken ? yield* claims.claim(pix, stored.id, holder) : holder
    if (now !== stored.id) return yield* endToEndIdClaimed(stored, now)
    if (unknown === undefined && stored.status === "approved") yield* expectListed(stored, endToEndId, amount)
  })

  const resolveUnknown = Effect.fnUntraced(function* (stored: StoredWithdrawal, endToEndId: string) {
    const unknown = yield* findUnknown(endToEndId)
    if (unknown === undefined) return
    const reason = `It paid ${stored.id}, which an operator has settled since`
    yield* resolveByItself(unknown.id, unknown.fact, reason)
  })
  return { claim, resolveUnknown }
})
