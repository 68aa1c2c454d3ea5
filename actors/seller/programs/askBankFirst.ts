import { Effect } from "effect"
import type { ApiError } from "../../../schema/errors.ts"
import type { ExceptionAct, ExceptionKind } from "../../../schema/resources/exception.ts"
import { Acquirers } from "../../ports/acquirer.ts"
import type { StoredException } from "../../ports/exceptionStore.ts"
import { RefundStore } from "../../ports/refundStore.ts"
import { WithdrawalStore } from "../../ports/withdrawalStore.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { otherAccountReason } from "../decisions/acquirerAccount.ts"
import { type BankWord, bankRefusal, decidingWord } from "../decisions/bankWord.ts"
import { isBankAsked } from "../decisions/exceptionActs.ts"
import { readException } from "../decisions/exceptionDocument.ts"
import { makePayoutCalls, makeRefundCalls, type PayoutTold, type RefundTold } from "./acquirerCalls.ts"
import { makeWithCharge } from "./applyRefund.ts"
import { type ListedPayoutAnswer, makeListedPayout } from "./listedPayout.ts"
import { queryStatusOf } from "./payoutDifferences.ts"

/** Asks all sources that the acquirer has about an exception's money; none where that has ended here. */
type Ask = (stored: StoredException) => Effect.Effect<ReadonlyArray<BankWord>, StoreUnavailable>

const wordOfRefund = (told: RefundTold): BankWord => {
  const status = told.status
  switch (status) {
    case "silent":
      return { kind: "silent", reason: told.reason }
    case "done":
      return { kind: "said", status, isGone: true, reference: told.returnId }
    case "processing":
      return { kind: "said", status, isGone: undefined }
    default:
      return { kind: "said", status, isGone: false }
  }
}

const makeAskOfRefund = Effect.gen(function* () {
  const refunds = yield* RefundStore
  const acquirers = yield* Acquirers
  const withCharge = yield* makeWithCharge
  const { query } = yield* makeRefundCalls

  const ask: Ask = Effect.fnUntraced(function* (stored) {
    const refund = yield* refunds.load(readException(stored).resource_id ?? "")
    const found = refund?.status === "processing" ? yield* withCharge(refund) : undefined
    if (found === undefined) return []
    const otherAccount = otherAccountReason(found.refund, acquirers)
    if (otherAccount !== undefined) return [{ kind: "silent", reason: otherAccount }]
    return [wordOfRefund(yield* query(found))]
  })
  return ask
})

const wordOfPayout = (told: PayoutTold): BankWord => {
  switch (told.status) {
    case "silent":
      return { kind: "silent", reason: told.reason }
    case "paid":
    case "otherAmount":
      return { kind: "said", status: queryStatusOf(told), isGone: true, reference: told.endToEndId }
    case "notPaid":
      return { kind: "said", status: queryStatusOf(told), isGone: false }
    default:
      // A payout that the bank never heard of may have been made by hand there.
      return { kind: "said", status: queryStatusOf(told), isGone: undefined }
  }
}

/** A list without the payout says nothing: one that the bank still processes need not be in it yet. */
const wordsOfList = (listed: ListedPayoutAnswer): ReadonlyArray<BankWord> => {
  if (listed.kind === "absent") return []
  if (listed.kind === "silent") return [listed]
  const { status, endToEndId } = listed.payout
  if (status === "notPaid") return [{ kind: "said", status: "not_paid", isGone: false }]
  if (status === "processing") return [{ kind: "said", status, isGone: undefined }]
  return [{ kind: "said", status, isGone: true, reference: endToEndId }]
}

const makeAskOfPayout = Effect.gen(function* () {
  const withdrawals = yield* WithdrawalStore
  const acquirers = yield* Acquirers
  const { query } = yield* makePayoutCalls
  const listedPayout = yield* makeListedPayout

  const ask: Ask = Effect.fnUntraced(function* (stored) {
    const withdrawal = yield* withdrawals.load(readException(stored).resource_id ?? "")
    if (withdrawal?.status !== "processing") return []
    const otherAccount = otherAccountReason(withdrawal, acquirers)
    if (otherAccount !== undefined) return [{ kind: "silent", reason: otherAccount }]
    const [told, listed] = yield* Effect.all([query(withdrawal), listedPayout(withdrawal)], {
      concurrency: "unbounded",
    })
    return [wordOfPayout(told), ...wordsOfList(listed)]
  })
  return ask
})

/**
 * Makes the program that asks the acquirer before an operator ends what is stuck there, and refuses what its answer contradicts
 * (docs/contract/exceptions.md#the-bank-is-asked-first): 409 `invalid_state`, or 503 `service_unavailable` without an answer. Answers
 * the acquirer's id of the money that left. It may take as long as the acquirer does: no seller's actor waits for it.
 */
export const makeAskBankFirst = Effect.gen(function* () {
  const askOf: Partial<Record<ExceptionKind, Ask>> = {
    payout_stuck: yield* makeAskOfPayout,
    refund_stuck: yield* makeAskOfRefund,
  }

  return (
    stored: StoredException,
    {
      act,
      isWithoutBank = false,
    }: { readonly act: ExceptionAct; readonly isWithoutBank?: boolean | undefined },
  ): Effect.Effect<
    string | undefined,
    ApiError<"invalid_state" | "service_unavailable"> | StoreUnavailable
  > =>
    Effect.gen(function* () {
      const ask = askOf[stored.kind]
      if (ask === undefined || !isBankAsked(stored, act)) return undefined
      const words = yield* ask(stored)
      const refused = bankRefusal(stored, act === "settle" ? "settle" : "fail", words, isWithoutBank)
      if (refused !== undefined) return yield* refused
      return decidingWord(words)?.reference
    })
})
