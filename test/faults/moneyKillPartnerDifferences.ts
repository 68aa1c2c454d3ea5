import { exceptionOfNobody, exceptionOfResource } from "../../actors/seller/decisions/exceptionDocument.ts"
import { acquirerRefundIdOf, payoutIdOf } from "../../schema/ids.ts"
import type { ExceptionKind } from "../../schema/resources/exception.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { freshKey, makeCharge } from "../e2e/support/charges.ts"
import { postWithdrawal } from "../e2e/support/withdrawals.ts"
import { newEndToEndId } from "../support/pspBooks.ts"
import { mustBe } from "./moneyKillPath.ts"
import { atRest, fund, funds, patiently, type World } from "./moneyKillWorld.ts"

/** The amount of a withdrawal or a refund, in centavos, and the fee of a withdrawal. */
export const amount = 5_000
export const fee = 100
/** What of a withdrawal came back. */
export const back = 2_000
/** A payment of nobody, or one of another amount than its charge. */
export const strangeAmount = 700

const acquirer = "api-pix"

/** Records an exception of a resource of the world's seller, as a sweep or a notice does. */
const open = (
  { lane, sellerId }: World,
  kind: ExceptionKind,
  type: "transaction" | "withdrawal" | "refund",
  resource: { readonly id: string; readonly amount: number },
  details: Readonly<Record<string, unknown>>,
  amountThere = resource.amount,
): Promise<void> => {
  const found = { kind, about: resource.id, acquirer, amount: amountThere, details }
  // It is over where its account is configured again, and then refuses to be settled or failed.
  const ofOther = kind === "partner_changed" ? { account: `${acquirer}:another` } : {}
  const about = { type, id: resource.id, sellerId, mode: "live", ...ofOther } as const
  return lane.openException(exceptionOfResource(found, about, Date.now()))
}

/** Records money of the PSP that is nothing of ours; its details name the world. */
const openOfNobody = (
  { lane, tag }: World,
  kind: ExceptionKind,
  endToEndId: string,
  found: Readonly<Record<string, unknown>>,
  about = endToEndId,
): Promise<void> => {
  const details = { end_to_end_id: endToEndId, case: tag, ...found }
  const exception = exceptionOfNobody(
    { kind, about, acquirer, amount: strangeAmount, details },
    acquirer,
    1,
    Date.now(),
  )
  // Whoever it is paid with: the account that is configured.
  return lane.openException({ ...exception, account: undefined })
}

/** A Pix that pays no charge. */
export const unknownPayment = (world: World): Promise<void> =>
  openOfNobody(world, "payment_unknown", world.psp.receive({ amount: strangeAmount }), { txid: null })

/** The bank takes back a Pix that an operator has credited to the seller. */
export const returnedCredit = async (world: World): Promise<void> => {
  const endToEndId = world.psp.receive({ amount: strangeAmount })
  // Its credit is no call of the path, whose fault points count from the tag.
  await openOfNobody(world, "payment_unknown", endToEndId, { txid: null, case: null })
  const known = await world.lane.exceptions()
  const credited = known.find(({ details }) => details.end_to_end_id === endToEndId)
  const body = { act: "credit", seller_id: world.sellerId, reason: "The payer is a customer" }
  mustBe(200, await world.operator.post(`/v1/admin/exceptions/${credited?.id}/resolve`, { body }))
  await atRest(world)
  const returnId = world.psp.refundOf(endToEndId, { natureza: "MED_FRAUDE" })
  const details = { return_id: returnId, return_kind: "chargeback", exception_id: credited?.id }
  await openOfNobody(world, "payment_returned", endToEndId, details, `${endToEndId}:${returnId}`)
}

/** A payout that we never asked for. */
export const unknownPayout = (world: World): Promise<void> =>
  openOfNobody(world, "payout_unknown", newEndToEndId(), { payout_id: null, status: "paid" })

const chargeOf = async (world: World): Promise<Transaction> => {
  const charge = await makeCharge(world.client, { amount: funds })
  await world.notify({ endToEndId: world.psp.pay(charge.pix.txid) })
  await atRest(world)
  return charge
}

/** Makes a payer pay a charge again; the notice of it opens the exception. */
const paidAgain = (paid: number) => async (world: World) => {
  const { pix } = await chargeOf(world)
  await world.notify({ endToEndId: world.psp.pay(pix.txid, { amount: paid }) })
  await atRest(world)
}
/** A charge is paid twice. */
export const secondPayment = paidAgain(funds)
/** A charge is paid, and then another amount is. */
export const otherAmount = paidAgain(strangeAmount)

/** Only the bank's list has a second Pix of a charge. */
export const unconfirmedPayment = async (world: World): Promise<void> => {
  const charge = await chargeOf(world)
  const endToEndId = world.psp.receive({ amount: strangeAmount })
  const details = { end_to_end_id: endToEndId, list_status: "received", query_status: "unknown" }
  await open(world, "payment_unconfirmed", "transaction", charge, details, strangeAmount)
}

/** Only the bank's list has a return of the Pix that paid a charge. */
export const returnedPayment = async (world: World): Promise<void> => {
  const charge = await chargeOf(world)
  const [{ endToEndId } = { endToEndId: "" }] = world.psp.charge(charge.pix.txid)?.pix ?? []
  const returnId = world.psp.refundOf(endToEndId)
  const details = { end_to_end_id: endToEndId, return_id: returnId, return_kind: "refund" }
  await open(world, "payment_returned", "transaction", charge, details)
}

const withdrawn = async ({ client, pixKeyId }: World): Promise<Withdrawal> => {
  const answer = await postWithdrawal<Withdrawal>(client, { amount, pix_key_id: pixKeyId }, freshKey())
  mustBe(201, answer)
  return answer.body
}

/** A withdrawal that was cancelled is executed by the bank. */
export const contradictedPayout = async (world: World): Promise<void> => {
  await fund(world)
  const withdrawal = await withdrawn(world)
  mustBe(200, await world.client.post(`/v1/withdrawals/${withdrawal.id}/cancel`))
  const endToEndId = world.psp.payOut({ amount, idEnvio: payoutIdOf(withdrawal.id) })
  const details = { status: "cancelled", status_there: "paid", amount_there: amount }
  await open(world, "payout_contradicted", "withdrawal", withdrawal, {
    ...details,
    end_to_end_id: endToEndId,
    returned_amount: 0,
  })
}

/** A withdrawal that the PSP has, and neither pays nor refuses. */
const processing = async (world: World): Promise<Withdrawal> => {
  await fund(world)
  const withdrawal = await withdrawn(world)
  mustBe(200, await world.operator.post(`/v1/admin/withdrawals/${withdrawal.id}/approve`))
  const payoutId = payoutIdOf(withdrawal.id)
  await patiently(world, `${payoutId} to be with the PSP`, async () => world.psp.payout(payoutId))
  return withdrawal
}

/** A part of a payout comes back. */
export const returnedPayout = async (world: World): Promise<void> => {
  const withdrawal = await processing(world)
  const payoutId = payoutIdOf(withdrawal.id)
  world.psp.payoutResult(payoutId, "REALIZADO")
  await world.notify({ idEnvio: payoutId })
  await atRest(world)
  world.psp.payoutReturn(payoutId, { amount: back })
  const details = { status: "successful", status_there: "paid", returned_amount: back }
  await open(world, "payout_returned", "withdrawal", withdrawal, details, back)
}

/** The PSP says nothing final about a withdrawal. */
const unended = (kind: "payout_stuck" | "partner_changed") => async (world: World) => {
  const withdrawal = await processing(world)
  const { endToEndId } = world.psp.payout(payoutIdOf(withdrawal.id)) ?? {}
  await open(world, kind, "withdrawal", withdrawal, { status: "processing", end_to_end_id: endToEndId })
}
/** It is processing for too long. */
export const stuckPayout = unended("payout_stuck")
/** It belongs to another account. */
export const withdrawalOfOther = unended("partner_changed")

/** A charge that nobody has paid, and that another account is asked about. */
export const pendingChargeOfOther = async (world: World): Promise<void> => {
  const charge = await makeCharge(world.client, { amount: funds })
  await open(world, "partner_changed", "transaction", charge, { status: "pending" })
}

/** The same of one that was paid. */
export const paidChargeOfOther = async (world: World): Promise<void> => {
  await open(world, "partner_changed", "transaction", await chargeOf(world), { status: "paid" })
}

/** The PSP has a refund, and neither makes nor refuses it. */
const unendedRefund = (kind: "refund_stuck" | "partner_changed") => async (world: World) => {
  const { id, pix } = await chargeOf(world)
  const headers = { "Idempotency-Key": freshKey() }
  const answer = await world.client.post<Refund>(`/v1/transactions/${id}/refunds`, {
    body: { amount },
    headers,
  })
  mustBe(201, answer)
  const refundId = acquirerRefundIdOf(answer.body.id)
  await patiently(world, `${refundId} to be with the PSP`, async () =>
    world.psp.charge(pix.txid)?.pix[0]?.devolucoes.find((one) => one.id === refundId),
  )
  await open(world, kind, "refund", answer.body, { status: "processing" })
}
/** It is processing for too long. */
export const stuckRefund = unendedRefund("refund_stuck")
/** It belongs to another account. */
export const refundOfOther = unendedRefund("partner_changed")
