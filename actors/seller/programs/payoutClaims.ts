import { Clock, Effect } from "effect"
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

  /** The fact of the `payout_unknown` that a sweep opens for a Pix before it is settled here, and an id of its partition. */
  const unknownOf = (endToEndId: string) => {
    const found = { kind: "payout_unknown", about: endToEndId, amount: 0, details: {} } as const
    return exceptionOfNobody({ ...found, acquirer: live.slug }, live.account, partitions, 0)
  }

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
    const { id, fact } = unknownOf(endToEndId)
    const unknown = yield* exceptions.findFact(id, fact)
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

  const resolveUnknown = (stored: StoredWithdrawal, endToEndId: string) => {
    const { id, fact } = unknownOf(endToEndId)
    return resolveByItself(id, fact, `It paid ${stored.id}, which an operator has settled since`)
  }
  return { claim, resolveUnknown }
})
