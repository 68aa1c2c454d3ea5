import type { ExceptionAct } from "../../schema/resources/exception.ts"
import type { Client } from "../e2e/support/client.ts"
import {
  back,
  contradictedPayout,
  otherAmount,
  paidChargeOfOther,
  pendingChargeOfOther,
  refundOfOther,
  returnedCredit,
  returnedPayment,
  returnedPayout,
  secondPayment,
  strangeAmount,
  stuckPayout,
  stuckRefund,
  unconfirmedPayment,
  unknownPayment,
  unknownPayout,
  withdrawalOfOther,
} from "./moneyKillPartnerDifferences.ts"
import { mustBe, type Path, paidEvents, untilSent } from "./moneyKillPath.ts"
import {
  credited,
  ended,
  endedRefund,
  fundedEntry,
  givenBack,
  nothing,
  odd,
  paid,
  rest,
  returnedEntry,
  sent,
  sentOut,
  settledEntry,
  withdrawn,
} from "./moneyKillResolutionBooks.ts"
import { atRest, type Books, exceptionsOf, funds, type World } from "./moneyKillWorld.ts"

/** The world's newest exception. */
const theirs = async (world: World) => {
  const exception = (await exceptionsOf(world)).at(-1)
  if (exception === undefined) throw new Error("there is no exception")
  return exception
}

/**
 * An operator asks for an act until there is an answer. It may be refused as resolved already, or as under way: by the same
 * request, whose answer was lost.
 */
const ask = async (
  world: World,
  operator: Client,
  body: { readonly act: ExceptionAct; readonly seller_id?: string },
  status: 200 | 202 = 200,
): Promise<void> => {
  const { id } = await theirs(world)
  const reason = `${world.tag}: the payer asks for it`
  const answer = await operator.post(`/v1/admin/exceptions/${id}/resolve`, { body: { ...body, reason } })
  if (answer.status !== 409) mustBe(status, answer)
}

const asking =
  (act: ExceptionAct): Path["play"] =>
  async (world) => {
    await ask(world, world.operator, { act })
    await atRest(world)
  }

/** The PSP makes the refund as soon as it has it. */
const refunding: Path["play"] = async (world) => {
  await ask(world, world.operator, { act: "refund" })
  const { id, details } = await theirs(world)
  const endToEndId = String(details.end_to_end_id)
  const refundId = id.slice(4)
  await untilSent(world, `${id}:resolve`, "to be with the PSP", () =>
    (world.psp.transfer(endToEndId)?.devolucoes ?? []).some((one) => one.id === refundId),
  )
  world.psp.refundOf(endToEndId, { id: refundId })
  await atRest(world)
}

/** The first load is about an id that fault points cannot know: they count from the operators' log, which has the reason. */
const firstReads = ["exceptions.load"]
/** Before every act. */
export const deciding = ["operatorLog.append", "exceptions.load", "exceptions.load"]
const ofCharge = [...deciding, "transactions.load", "transactions.transition"]
const ofWithdrawal = [...deciding, "withdrawals.load", "withdrawals.transition"]
const ofRefund = [...deciding, "refunds.load", "transactions.load", "refunds.transition"]
const alone = [...deciding, "exceptions.commit"]
/** A Pix that counts elsewhere, or goes back, is neither sent back nor credited. */
const counted = ["pixClaims.findAll", "exceptions.findFact", "exceptions.findFact"]
const refundAsked = [...deciding, ...counted, "exceptions.commit"]
/** The Pix is the exception's before it counts. */
const crediting = [...deciding, ...counted, "pixClaims.claim", "transactions.load", "transactions.transition"]
/** Money of a seller whose partition is another one's business, and then the end of the exception. */
const bookingOf = (...before: ReadonlyArray<string>) => [
  ...[...deciding, ...before, "exceptions.commit", "exceptions.load"],
  ...["exceptions.credit", "exceptions.commit", "exceptions.load"],
]
/** The bank is asked before what is stuck there is ended. */
const ofStuckPayout = [
  ...["operatorLog.append", "exceptions.load", "withdrawals.load"],
  ...["acquirer.queryPayout", "acquirer.listSent"],
  ...["exceptions.load", "withdrawals.load", "withdrawals.load", "withdrawals.transition"],
]
const ofStuckRefund = [
  ...["operatorLog.append", "exceptions.load", "refunds.load", "transactions.load"],
  ...["acquirer.queryRefund", "exceptions.load"],
  ...["refunds.load", "transactions.load", "refunds.transition"],
]
const sendingOf = (asked: ReadonlyArray<string>) => [
  ...[...asked, "timers.claim[exc_]", "timers.postpone[exc_]"],
  ...["exceptions.load", "exceptions.commit", "acquirer.refund"],
  ...["timers.claim[exc_]", "timers.postpone[exc_]", "exceptions.load", "acquirer.queryRefund"],
]

const path = (prepare: Path["prepare"], act: ExceptionAct, calls: Path["calls"], books: Books): Path => ({
  ...{ prepare, play: act === "refund" ? refunding : asking(act), calls, firstReads, books },
})

/** A Pix of nobody becomes the seller's, whose partition is another one's business. */
const creditUnknown: Path = {
  ...path(unknownPayment, "credit", [], nothing),
  play: async (world) => {
    await ask(world, world.operator, { act: "credit", seller_id: world.sellerId })
    await atRest(world)
  },
  calls: bookingOf("pixClaims.findAll", "pixClaims.claim"),
  books: {
    ...nothing,
    events: ["exception.credited"],
    ledger: [["payment_credited", strangeAmount, 0, 0]],
    balance: [strangeAmount, 0, 0],
    exceptions: ["payment_unknown resolved credit"],
  },
}

/** A sweep records an exception without the charge, so that its seller is told of its end alone. */
const toldOnce = (books: Books): Books => ({ ...books, events: [...paidEvents, "transaction.exception"] })

/** The books of a credited Pix that the bank took back. */
const returnedBooks = (act: "debit" | "dismiss"): Books => {
  const left = act === "debit" ? 0 : strangeAmount
  return {
    ...nothing,
    events: ["exception.credited", ...(act === "debit" ? ["exception.debited"] : [])],
    ledger: [
      ["payment_credited", strangeAmount, 0, 0],
      ...(act === "debit" ? [["payment_debited", left, 0, 0] as const] : []),
    ],
    balance: [left, 0, 0],
    returns: { sent: 0, made: 1 },
    exceptions: ["payment_unknown resolved credit", `payment_returned resolved ${act}`],
  }
}

const twoOperators = { OPERATOR_APPROVALS: "2" }

/** Two operators agree to an act; each asks until there is an answer. */
const agreed =
  (body: (world: World) => Parameters<typeof ask>[2]): Path["play"] =>
  async (world) => {
    await ask(world, world.operator, body(world), 202)
    await ask(world, world.otherOperator, body(world))
    await atRest(world)
  }

/** The paths of exceptions until they are resolved: each act of each kind. */
export const resolutionPaths = {
  creditSecond: path(secondPayment, "credit", crediting, credited("double_payment", funds)),
  refundSecond: path(
    secondPayment,
    "refund",
    [
      ...sendingOf(refundAsked),
      "exceptions.load",
      "transactions.load",
      "transactions.transition",
      "timers.drop[exc_]",
    ],
    givenBack("double_payment"),
  ),
  dismissSecond: path(secondPayment, "dismiss", ofCharge, odd("double_payment resolved dismiss")),
  creditMismatch: path(otherAmount, "credit", crediting, credited("amount_mismatch", strangeAmount)),
  refundMismatch: path(otherAmount, "refund", refundAsked, givenBack("amount_mismatch")),
  dismissMismatch: path(otherAmount, "dismiss", ofCharge, odd("amount_mismatch resolved dismiss")),
  creditUnknown,
  refundUnknown: path(
    unknownPayment,
    "refund",
    [
      ...sendingOf([...deciding, "pixClaims.findAll", "exceptions.commit"]),
      ...["exceptions.load", "exceptions.commit", "timers.drop[exc_]"],
    ],
    { ...nothing, returns: sent, exceptions: ["payment_unknown resolved refund"] },
  ),
  dismissUnknown: path(unknownPayment, "dismiss", alone, {
    ...nothing,
    exceptions: ["payment_unknown resolved dismiss"],
  }),
  dismissPayoutUnknown: path(unknownPayout, "dismiss", alone, {
    ...nothing,
    exceptions: ["payout_unknown resolved dismiss"],
  }),
  debit: path(
    contradictedPayout,
    "debit",
    ofWithdrawal,
    withdrawn(
      "cancelled",
      ["cancelled", "debited"],
      [returnedEntry, ["payout_debited", rest, 0, 0]],
      "payout_contradicted resolved debit",
    ),
  ),
  dismissContradicted: path(
    contradictedPayout,
    "dismiss",
    alone,
    withdrawn("cancelled", ["cancelled"], [returnedEntry], "payout_contradicted resolved dismiss"),
  ),
  giveBack: path(
    returnedPayout,
    "return",
    ofWithdrawal,
    withdrawn(
      "successful",
      [...sentOut, "successful", "returned"],
      [settledEntry, ["payout_returned", rest + back, 0, 0]],
      "payout_returned resolved return",
    ),
  ),
  dismissReturned: path(
    returnedPayout,
    "dismiss",
    alone,
    withdrawn("successful", [...sentOut, "successful"], [settledEntry], "payout_returned resolved dismiss"),
  ),
  settleStuck: path(stuckPayout, "settle", ofStuckPayout, ended("payout_stuck", "settle")),
  failStuck: path(stuckPayout, "fail", ofStuckPayout, ended("payout_stuck", "fail")),
  settleCharge: path(pendingChargeOfOther, "settle", ofCharge, {
    ...paid,
    exceptions: ["partner_changed resolved settle"],
  }),
  failCharge: path(pendingChargeOfOther, "fail", ofCharge, {
    ...nothing,
    events: ["transaction.created", "transaction.failed"],
    charges: ["failed"],
    exceptions: ["partner_changed resolved fail"],
  }),
  dismissCharge: path(paidChargeOfOther, "dismiss", ofCharge, {
    ...paid,
    events: [...paidEvents, "transaction.exception"],
    exceptions: ["partner_changed resolved dismiss"],
  }),
  settleWithdrawal: path(withdrawalOfOther, "settle", ofWithdrawal, ended("partner_changed", "settle")),
  failWithdrawal: path(withdrawalOfOther, "fail", ofWithdrawal, ended("partner_changed", "fail")),
  settleRefund: path(refundOfOther, "settle", ofRefund, endedRefund("partner_changed", "settle")),
  failRefund: path(refundOfOther, "fail", ofRefund, endedRefund("partner_changed", "fail")),
  settleStuckRefund: path(stuckRefund, "settle", ofStuckRefund, endedRefund("refund_stuck", "settle")),
  failStuckRefund: path(stuckRefund, "fail", ofStuckRefund, endedRefund("refund_stuck", "fail")),
  creditUnconfirmed: path(
    unconfirmedPayment,
    "credit",
    crediting,
    toldOnce(credited("payment_unconfirmed", strangeAmount)),
  ),
  refundUnconfirmed: path(unconfirmedPayment, "refund", alone, toldOnce(givenBack("payment_unconfirmed"))),
  dismissUnconfirmed: path(
    unconfirmedPayment,
    "dismiss",
    ofCharge,
    toldOnce(odd("payment_unconfirmed resolved dismiss")),
  ),
  debitReturned: path(
    returnedCredit,
    "debit",
    bookingOf("pixClaims.findAll", "exceptions.load"),
    returnedBooks("debit"),
  ),
  dismissReturnedCredit: path(returnedCredit, "dismiss", alone, returnedBooks("dismiss")),
  debitReturnedPayment: path(returnedPayment, "debit", ofCharge, {
    ...paid,
    events: [...paidEvents, "refund.succeeded", "transaction.refunded"],
    ledger: [fundedEntry, ["charge_refunded", 0, 0, 0]],
    balance: [0, 0, 0],
    charges: ["refunded"],
    refunds: ["partner succeeded"],
    returns: { sent: 0, made: 1 },
    exceptions: ["payment_returned resolved debit"],
  }),
  twoCredit: {
    ...path(secondPayment, "credit", [...alone, "exceptions.load", ...crediting], {
      ...credited("double_payment", funds),
    }),
    play: agreed(() => ({ act: "credit" })),
    settings: twoOperators,
  },
  twoCreditUnknown: {
    ...creditUnknown,
    play: agreed(({ sellerId }) => ({ act: "credit", seller_id: sellerId })),
    calls: [...alone, "exceptions.load", ...creditUnknown.calls],
    settings: twoOperators,
  },
} as const satisfies Readonly<Record<string, Path>>
