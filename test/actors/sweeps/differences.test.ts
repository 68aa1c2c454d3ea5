import { describe, expect, it } from "vitest"
import type { ReceivedPix, SentPayout } from "../../../actors/ports/acquirer.ts"
import { differenceOfSent, differencesOfReceived } from "../../../actors/sweeps/differences.ts"
import { acquirerRefundId } from "../../../actors/values/acquirerRefund.ts"
import { acquirerRefundIdOf, makeId, payoutIdOf, txidOf } from "../../../schema/ids.ts"
import type { Transaction, TransactionStatus } from "../../../schema/resources/transaction.ts"
import { transactionStatuses } from "../../../schema/resources/transaction.ts"
import {
  type Withdrawal,
  type WithdrawalStatus,
  withdrawalStatuses,
} from "../../../schema/resources/withdrawal.ts"
import { chargeId, nowMillis, nowText, sellerId, storedCharge } from "../support/charges.ts"
import { storedWithdrawal, withdrawalId } from "../support/withdrawals.ts"

const account = "elsewhere:1"
const txid = txidOf(chargeId)

const pixOf = (changes: Partial<ReceivedPix> = {}): ReceivedPix => ({
  ...{ endToEndId: "E1", amount: 1_000, refunds: [], txid, receivedMillis: nowMillis },
  ...changes,
})
const backOf = (id: string, status: "done" | "processing" | "failed" = "done") =>
  ({ id, amount: 100, kind: "refund", status }) as const

const chargeWith = (status: TransactionStatus, changes: Partial<Transaction> = {}, own?: string) => ({
  ...storedCharge(status, changes),
  mode: "live" as const,
  ...(own === undefined ? {} : { account: own }),
})
const received = (pix: ReceivedPix, stored?: ReturnType<typeof storedCharge>) =>
  differencesOfReceived(pix, stored, account).at(0)
const asked = (refundId?: string) => ({
  kind: "listed",
  item: {
    ...{ kind: "pix", transactionId: chargeId, endToEndId: "E1" },
    ...(refundId === undefined ? { amount: 1_000 } : { refundId, returnKind: "refund", amount: 100 }),
  },
})

describe("a received Pix", () => {
  it("a Pix that its charge has, with all that went back of it, does not differ", () => {
    const refundId = makeId("rfd_", nowMillis, 0, new Uint8Array(14).fill(4))
    const entry = { kind: "refund", amount: 100, return_id: null, created_at: nowText } as const
    const refunds = [
      { ...entry, id: acquirerRefundId(sellerId, nowMillis, "E1", "r1") },
      { ...entry, id: refundId },
    ]
    for (const status of ["paid", "refunded", "chargeback"] as const) {
      const charge = chargeWith(status, { end_to_end_id: "E1", refunds })
      expect(received(pixOf(), charge)).toBeUndefined()
      const back = [backOf("r1"), backOf(acquirerRefundIdOf(refundId))]
      expect(received(pixOf({ refunds: back }), charge)).toBeUndefined()
    }
  })

  it("each of its returns that the charge does not have is a difference of its own", () => {
    const charge = chargeWith("paid", { end_to_end_id: "E1" })
    const pix = pixOf({ refunds: [backOf("r1"), { ...backOf("r2"), status: "processing" }, backOf("r3")] })
    expect(differencesOfReceived(pix, charge, account)).toEqual([asked("r1"), asked("r3")])
    const listed = {
      kind: "double_payment",
      end_to_end_id: "E1",
      amount: 1_000,
      created_at: nowText,
    } as const
    const paidOtherwise = chargeWith("paid", { end_to_end_id: "E2", exceptions: [listed] })
    expect(differencesOfReceived(pix, paidOtherwise, account)).toEqual([asked("r1"), asked("r3")])
  })

  it("a Pix that its charge does not have is asked about, whatever the charge's state", () => {
    for (const status of transactionStatuses) {
      expect(received(pixOf(), chargeWith(status))).toEqual(asked())
      expect(received(pixOf(), chargeWith(status, { end_to_end_id: "E2" }))).toEqual(asked())
    }
  })

  it("a return that is done and that the charge does not have is asked about, one that is not done is not", () => {
    const charge = chargeWith("paid", { end_to_end_id: "E1" })
    expect(received(pixOf({ refunds: [backOf("r1", "processing"), backOf("r2")] }), charge)).toEqual(
      asked("r2"),
    )
    const undone = [backOf("r1", "processing"), backOf("r2", "failed")]
    expect(received(pixOf({ refunds: undone }), charge)).toBeUndefined()
  })

  it("a Pix that the charge lists as an exception does not differ, nor do the returns of one that is sent back or dismissed", () => {
    const exception = {
      kind: "double_payment",
      end_to_end_id: "E1",
      amount: 1_000,
      created_at: nowText,
    } as const
    const charge = (act?: "credit" | "refund" | "dismiss") =>
      chargeWith("paid", {
        end_to_end_id: "E2",
        exceptions: [{ ...exception, ...(act === undefined ? {} : { act }) }],
      })
    const back = pixOf({ refunds: [backOf("r1")] })
    expect(received(pixOf(), charge())).toBeUndefined()
    for (const act of ["refund", "dismiss"] as const) expect(received(back, charge(act))).toBeUndefined()
    // Whether what may be credited has gone back is for the exceptions to know.
    for (const act of ["credit", undefined] as const) expect(received(back, charge(act))).toEqual(asked("r1"))
    expect(received(pixOf({ refunds: [backOf("r1", "processing")] }), charge("credit"))).toBeUndefined()
  })

  it("a Pix without a charge of ours in live is unknown", () => {
    for (const pix of [pixOf({ txid: undefined }), pixOf({ txid: "x".repeat(32) }), pixOf()]) {
      expect(received(pix)).toEqual({ kind: "unknownPix", pix })
    }
    const pix = pixOf()
    expect(received(pix, storedCharge("paid", { end_to_end_id: "E1" }))).toEqual({ kind: "unknownPix", pix })
  })

  it("a Pix that a charge of another account does not have is not asked about", () => {
    expect(received(pixOf(), chargeWith("pending", {}, "elsewhere:2"))).toEqual({
      kind: "otherAccount",
      resourceId: chargeId,
    })
    expect(received(pixOf(), chargeWith("paid", { end_to_end_id: "E1" }, "elsewhere:2"))).toBeUndefined()
    expect(received(pixOf(), chargeWith("pending", {}, account))).toEqual(asked())
  })
})

const payoutOf = (changes: Partial<SentPayout> = {}): SentPayout => ({
  ...{
    payoutId: payoutIdOf(withdrawalId),
    endToEndId: "S1",
    amount: 1_000,
    status: "paid",
    reason: undefined,
  },
  ...{ returnedAmount: 0, sentMillis: nowMillis, ...changes },
})
const withdrawalWith = (status: WithdrawalStatus, changes: Partial<Withdrawal> = {}, own?: string) => ({
  ...storedWithdrawal(status, changes),
  mode: "live" as const,
  ...(own === undefined ? {} : { account: own }),
})
const sent = (payout: SentPayout, stored?: ReturnType<typeof storedWithdrawal>) =>
  differenceOfSent(payout, stored, account)
const payoutAsked = { kind: "listed", item: expect.objectContaining({ kind: "payout", withdrawalId }) }
const states = ["paid", "notPaid", "processing", "returned"] as const
const inState = (status: SentPayout["status"]) =>
  payoutOf({ status, returnedAmount: status === "returned" ? 1_000 : 0 })

/** What the acquirer's books may say of a payout that is as we have it. */
const asOurs: Readonly<Record<WithdrawalStatus, ReadonlyArray<SentPayout["status"]>>> = {
  awaiting: [],
  approved: [],
  processing: ["processing"],
  successful: ["paid", "processing"],
  rejected: ["notPaid"],
  failed: ["notPaid"],
  cancelled: ["notPaid"],
}

describe("a sent payout", () => {
  const pairs = withdrawalStatuses.flatMap((ours) => states.map((theirs) => [ours, theirs] as const))
  it.each(pairs)(
    "a withdrawal that is %s here is asked about where it is %s there, unless both say the same",
    (ours, theirs) => {
      const isSame = asOurs[ours].includes(theirs)
      expect(sent(inState(theirs), withdrawalWith(ours))).toEqual(isSame ? undefined : payoutAsked)
    },
  )

  it("what came back of a payout is asked about until the withdrawal has it", () => {
    const part = payoutOf({ returnedAmount: 400 })
    const whole = payoutOf({ status: "returned", returnedAmount: 1_000 })
    const ours = (returned_amount: number) => withdrawalWith("successful", { returned_amount })
    expect(sent(part, withdrawalWith("successful"))).toEqual(payoutAsked)
    expect(sent(part, ours(400))).toBeUndefined()
    expect(sent(whole, ours(400))).toEqual(payoutAsked)
    expect(sent(whole, ours(1_000))).toBeUndefined()
  })

  it("a withdrawal that ended without money and was debited since has its payout", () => {
    const debited = withdrawalWith("failed", { end_to_end_id: "S1", debited_amount: 1_000 })
    expect(sent(payoutOf(), debited)).toBeUndefined()
    expect(sent(payoutOf({ endToEndId: "S2" }), debited)).toEqual(payoutAsked)
    expect(sent(payoutOf({ endToEndId: undefined }), withdrawalWith("failed"))).toEqual(payoutAsked)
  })

  it("what came back of a payout that was debited is asked about until the withdrawal has it", () => {
    const part = payoutOf({ returnedAmount: 400 })
    const whole = inState("returned")
    const ours = (returned_amount?: number) =>
      withdrawalWith("failed", {
        ...{ end_to_end_id: "S1", debited_amount: 1_000 },
        ...(returned_amount === undefined ? {} : { returned_amount }),
      })
    expect(sent(part, ours())).toEqual(payoutAsked)
    expect(sent(part, ours(400))).toBeUndefined()
    expect(sent(whole, ours(400))).toEqual(payoutAsked)
    expect(sent(whole, ours(1_000))).toBeUndefined()
  })

  it("a payout that was debited and is not made there after all is asked about until its money is back", () => {
    const debited = { end_to_end_id: "S1", debited_amount: 1_000 }
    expect(sent(inState("notPaid"), withdrawalWith("failed", debited))).toEqual(payoutAsked)
    const returned = { ...debited, returned_amount: 1_000 }
    expect(sent(inState("notPaid"), withdrawalWith("failed", returned))).toBeUndefined()
  })

  it("a payout that was booked as back and is made there after all is asked about until it is debited", () => {
    expect(sent(payoutOf(), withdrawalWith("successful", { returned_amount: 1_000 }))).toEqual(payoutAsked)
    const debited = withdrawalWith("successful", { returned_amount: 0, debited_amount: 0 })
    expect(sent(payoutOf(), debited)).toBeUndefined()
  })

  it("a payout of another amount that was debited has its amount, and what came back of it", () => {
    const other = payoutOf({ amount: 1_500 })
    const ours = (changes: Partial<Withdrawal> = {}) =>
      withdrawalWith("successful", { debited_amount: 500, ...changes })
    expect(sent(other, ours())).toBeUndefined()
    expect(sent(payoutOf(), ours())).toEqual(payoutAsked)
    const back = { ...other, status: "returned", returnedAmount: 1_500 } as const
    expect(sent(back, ours())).toEqual(payoutAsked)
    expect(sent(back, ours({ returned_amount: 1_500 }))).toBeUndefined()
    const failed = withdrawalWith("failed", { debited_amount: 1_500 })
    expect(sent({ ...other, endToEndId: undefined }, failed)).toBeUndefined()
  })

  it("a payout that is none of ours in live is a payout_unknown, unless it moved nothing", () => {
    const unknown = (about: string, payout: SentPayout) => ({
      kind: "unknownPayout",
      found: {
        kind: "payout_unknown",
        about,
        amount: 1_000,
        details: {
          payout_id: payout.payoutId ?? null,
          end_to_end_id: payout.endToEndId ?? null,
          status: payout.status,
        },
      },
    })
    for (const status of ["paid", "processing", "returned"] as const) {
      const ours = payoutOf({ status })
      expect(sent(ours)).toEqual(unknown(payoutIdOf(withdrawalId), ours))
      expect(sent(ours, storedWithdrawal("successful"))).toEqual(unknown(payoutIdOf(withdrawalId), ours))
      const strange = payoutOf({ status, payoutId: "order-7" })
      expect(sent(strange)).toEqual(unknown("order-7", strange))
      const nameless = payoutOf({ status, payoutId: undefined })
      expect(sent(nameless)).toEqual(unknown("S1", nameless))
    }
    expect(sent(payoutOf({ status: "notPaid" }))).toBeUndefined()
  })

  it("a payout of another amount than ours is asked about, unless neither side says that it moved", () => {
    const other = payoutOf({ amount: 900 })
    for (const status of withdrawalStatuses) {
      expect(sent(other, withdrawalWith(status))).toEqual(payoutAsked)
      expect(sent({ ...other, status: "processing" }, withdrawalWith(status))).toEqual(payoutAsked)
    }
    expect(sent({ ...other, status: "notPaid" }, withdrawalWith("failed"))).toBeUndefined()
    expect(sent({ ...other, status: "notPaid" }, withdrawalWith("processing"))).toEqual(payoutAsked)
  })

  it("a payout that a withdrawal of another account does not have is not asked about", () => {
    expect(sent(payoutOf(), withdrawalWith("processing", {}, "elsewhere:2"))).toEqual({
      kind: "otherAccount",
      resourceId: withdrawalId,
    })
    expect(sent(payoutOf(), withdrawalWith("successful", {}, "elsewhere:2"))).toBeUndefined()
    expect(sent(payoutOf(), withdrawalWith("processing", {}, account))).toEqual(payoutAsked)
  })
})
