import { Effect } from "effect"
import { timeOfId, txidOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { Acquirers } from "../ports/acquirer.ts"
import type { SellerSettings } from "../ports/sellerStore.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import { type StoredTransaction, TransactionStore } from "../ports/transactionStore.ts"
import { boundedCall } from "./boundedCall.ts"
import { decideReport } from "./decisions/chargeReport.ts"
import { balanceFull } from "./decisions/movements.ts"
import { otherAccountReason } from "./decisions/partnerAccount.ts"
import type { SellerTime } from "./decisions/sellerTime.ts"
import { afterCommit, readCharge } from "./decisions/transactionTransitions.ts"
import type { NoticedTransfer, ReconcileAnswer } from "./sellerCommands.ts"

/** What asking about a charge has come to. */
export type ReconciledCharge =
  /** As the partner says; `askAfterMillis`: when there may be more. */
  | {
      readonly kind: "reconciled"
      readonly stored: StoredTransaction
      readonly askAfterMillis: number | undefined
      /** Names of timers that what it told of has ended. */
      readonly endedTimers: ReadonlyArray<string>
    }
  | { readonly kind: "silent"; readonly reason: string }
  | { readonly kind: "missing" }

/** Makes the program that asks the partner what became of a charge, and makes it so. */
export const makeReconcileCharge = Effect.gen(function* () {
  const store = yield* TransactionStore
  const acquirers = yield* Acquirers

  const query = (stored: StoredTransaction, noticedEndToEndId: string | undefined, time: SellerTime) => {
    const { amount, end_to_end_id: endToEndId } = readCharge(stored)
    const call = acquirers[stored.mode].queryCharge({
      txid: txidOf(stored.id),
      amount,
      status: stored.status,
      endToEndId,
      noticedEndToEndId,
      ageMillis: Math.max(0, time.nowMillis - timeOfId(stored.id)),
    })
    return boundedCall("query charge", call).pipe(
      Effect.catch(({ reason }) => Effect.succeed({ silent: reason } as const)),
    )
  }

  return (
    known: StoredTransaction,
    noticedEndToEndId: string | undefined,
    settings: SellerSettings,
    time: SellerTime,
  ): Effect.Effect<ReconciledCharge, StoreUnavailable> =>
    Effect.gen(function* () {
      const otherAccount = otherAccountReason(known, acquirers)
      if (otherAccount !== undefined) {
        yield* Effect.logError(`${otherAccount}: it is not asked about`)
        return { kind: "silent", reason: otherAccount } as const
      }
      let stored = known
      let endedTimers: ReadonlyArray<string> = []
      for (let round = 0; round < limits.decisionsMax; round++) {
        const report = yield* query(stored, noticedEndToEndId, time)
        if ("silent" in report) return { kind: "silent", reason: report.silent } as const
        let isStale = false
        for (let commits = 0; commits < limits.commitsPerReportMax && !isStale; commits++) {
          const commit = decideReport(stored, report, settings, time)
          if (commit === undefined) {
            return { kind: "reconciled", stored, askAfterMillis: report.askAfterMillis, endedTimers } as const
          }
          const { kind } = yield* store.transition(commit)
          if (kind === "missing") return { kind: "missing" } as const
          if (kind === "overflow") {
            yield* Effect.logError(`what the partner says of ${known.id} is not applied: ${balanceFull}`)
            return { kind: "silent", reason: balanceFull } as const
          }
          isStale = kind === "stale"
          if (isStale) continue
          stored = afterCommit(stored, commit)
          endedTimers = [...endedTimers, ...commit.timersDone]
        }
        // Another came first, or the report called for more than one round does: what the partner says of the charge depends on what it is now.
        const found = yield* store.load(known.id)
        if (found === undefined) return { kind: "missing" } as const
        stored = found
      }
      return { kind: "silent", reason: "the charge was changed by others all the while" } as const
    })
})

/** What a notice is told: it is settled once the charge shows what the notice told of. */
export const answerToNotice = (asked: ReconciledCharge, noticed: NoticedTransfer): ReconcileAnswer => {
  if (asked.kind === "silent") return { kind: "unavailable", reason: asked.reason }
  if (asked.kind === "missing") return { kind: "missing" }
  const { stored, askAfterMillis } = asked
  const charge = readCharge(stored)
  const isOwn = charge.end_to_end_id !== null && charge.end_to_end_id === noticed.endToEndId
  const isReturned =
    noticed.refundId === undefined || charge.refunds.some(({ id }) => id === noticed.refundId)
  // A refund that is under way is asked about again.
  const isWhole = isReturned && askAfterMillis === undefined
  const unusual = charge.exceptions.find(({ end_to_end_id }) => end_to_end_id === noticed.endToEndId)
  // Returns of a transfer that is not the charge's own are none of the charge's.
  if (unusual !== undefined && (!isOwn || isWhole)) {
    return { kind: "settled", note: `${unusual.kind} of ${unusual.amount} centavos by ${noticed.endToEndId}` }
  }
  const isKnown = isOwn || (noticed.endToEndId === undefined && charge.end_to_end_id !== null)
  return isKnown && isWhole ? { kind: "settled", note: undefined } : { kind: "pending" }
}
