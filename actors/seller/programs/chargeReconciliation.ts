import { Effect } from "effect"
import { timeOfId, txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { Acquirers, type ChargeReport } from "../../ports/acquirer.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import type { StoreUnavailable } from "../../ports/store.ts"
import {
  type StoredTransaction,
  TransactionStore,
  type TransitionCommit,
} from "../../ports/transactionStore.ts"
import { decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import { decideReport } from "../decisions/chargeReport.ts"
import { balanceFull } from "../decisions/movements.ts"
import { otherAccountReason } from "../decisions/partnerAccount.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { afterCommit, readCharge } from "../decisions/transactionTransitions.ts"
import type { NoticedTransfer, ReconcileAnswer } from "../sellerCommands.ts"
import { boundedCall } from "./boundedCall.ts"

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

  /** Commits what a report calls for, one commit after the other; `stale` where another came first or more is left. */
  const applyReport = Effect.fnUntraced(function* (
    known: StoredTransaction,
    report: ChargeReport,
    settings: SellerSettings,
    time: SellerTime,
    onCommit: (commit: TransitionCommit) => void,
  ) {
    let stored = known
    for (let commits = 0; commits < limits.commitsPerReportMax; commits++) {
      const commit = decideReport(stored, report, settings, time)
      if (commit === undefined) return { kind: "applied", stored } as const
      const { kind } = yield* store.transition(commit)
      if (kind === "stale") return stale
      if (kind === "missing" || kind === "overflow") return { kind } as const
      onCommit(commit)
      stored = afterCommit(stored, commit)
    }
    return stale
  })

  return (
    known: StoredTransaction,
    noticedEndToEndId: string | undefined,
    settings: SellerSettings,
    time: SellerTime,
  ): Effect.Effect<ReconciledCharge, StoreUnavailable> => {
    const otherAccount = otherAccountReason(known, acquirers)
    if (otherAccount !== undefined) {
      return Effect.as(Effect.logError(`${otherAccount}: it is not asked about`), {
        kind: "silent",
        reason: otherAccount,
      })
    }
    const endedTimers: Array<string> = []
    return decideAndCommit({
      known,
      read: store.load(known.id),
      // What the acquirer says of a charge depends on what the charge is, so each attempt asks again.
      attempt: Effect.fnUntraced(function* (stored: StoredTransaction | undefined) {
        if (stored === undefined) return { kind: "missing" } as const
        const report = yield* query(stored, noticedEndToEndId, time)
        if ("silent" in report) return { kind: "silent", reason: report.silent } as const
        const applied = yield* applyReport(stored, report, settings, time, ({ timersDone }) =>
          endedTimers.push(...timersDone),
        )
        if (applied === stale) return stale
        if (applied.kind === "missing") return { kind: "missing" } as const
        if (applied.kind !== "applied") {
          yield* Effect.logError(`what the partner says of ${known.id} is not applied: ${balanceFull}`)
          return { kind: "silent", reason: balanceFull } as const
        }
        const { askAfterMillis } = report
        return { kind: "reconciled", stored: applied.stored, askAfterMillis, endedTimers } as const
      }),
      giveUp: () => Effect.succeed({ kind: "silent", reason: "others keep changing the charge" } as const),
    })
  }
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
