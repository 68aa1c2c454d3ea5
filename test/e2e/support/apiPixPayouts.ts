import { expect } from "vitest"
import type { OperatorWithdrawal } from "../../../schema/api/operatorWithdrawals.ts"
import { payoutIdOf } from "../../../schema/ids.ts"
import type { Withdrawal } from "../../../schema/resources/withdrawal.ts"
import type { PspRequest } from "../../support/psp.ts"
import type { PspPayout } from "../../support/pspBooks.ts"
import { type ApiPixStage, payCharge } from "./apiPix.ts"
import type { Answer, Client, ErrorBody } from "./client.ts"
import { freshEmailKey, openPixShop } from "./pixKeys.ts"
import type { Seller } from "./stage.ts"
import { balanceOf, getWithdrawal, ledgerOf, withdraw, withdrawalEvents } from "./withdrawals.ts"

/** The money that a payee begins with, in centavos. */
export const funds = 20_000
/** The amount of its withdrawals, and their total with the fee, in centavos. */
export const amount = 5_000
export const total = 5_100

/** A seller with money from a paid live charge, and a PIX key that an operator has approved. */
export interface Payee {
  readonly seller: Seller
  readonly live: Client
  readonly pixKeyId: string
  /** The value as registered. */
  readonly pixKey: string
}

/** A payee and its withdrawal, as that was when it was made. */
export interface Requested extends Payee {
  readonly withdrawal: Withdrawal
  /** Its `idEnvio`. */
  readonly payoutId: string
}

export const openPayee = async (stage: ApiPixStage): Promise<Payee> => {
  const shop = await openPixShop(stage)
  const { seller } = shop
  const body = freshEmailKey()
  const { id: pixKeyId } = await shop.live.register(body)
  const { status, text } = await stage.operator.send("POST", `/v1/admin/pix-keys/${pixKeyId}/approve`)
  if (status !== 200) throw new Error(`the PIX key was not verified: ${text}`)
  await payCharge(stage, seller.live, { amount: funds })
  return { seller, live: seller.live, pixKeyId, pixKey: body.value }
}

/** Requests a withdrawal of a payee: a new one by default. */
export const request = async (stage: ApiPixStage, payee?: Payee): Promise<Requested> => {
  const one = payee ?? (await openPayee(stage))
  const withdrawal = await withdraw(one.live, one.pixKeyId, amount, { description: "Novembro" })
  return { ...one, withdrawal, payoutId: payoutIdOf(withdrawal.id) }
}

/** Sends an operator's decision on a withdrawal; returns any answer. */
export const decide = <T = ErrorBody>(
  { operator }: Pick<ApiPixStage, "operator">,
  act: "approve" | "reject",
  { withdrawal }: Requested,
  body?: object,
): Promise<Answer<T>> => operator.send<T>("POST", `/v1/admin/withdrawals/${withdrawal.id}/${act}`, body)

/** Approves a withdrawal as an operator; fails where that is refused. */
export const approve = async (stage: ApiPixStage, requested: Requested): Promise<OperatorWithdrawal> => {
  const { status, text, body } = await decide<OperatorWithdrawal>(stage, "approve", requested)
  if (status !== 200) throw new Error(`the withdrawal was not approved: ${text}`)
  return body
}

/** The requests that asked the PSP to pay a withdrawal out, oldest first. */
export const sendingsOf = ({ psp }: ApiPixStage, { payoutId }: Requested): ReadonlyArray<PspRequest> =>
  psp.requestsOf(`PUT /v3/gn/pix/${payoutId}`)

/** The beginning of the requests that look a payout up. */
export const lookUpOf = ({ payoutId }: Requested): string => `GET /v2/gn/pix/enviados/id-envio/${payoutId}`

/** The PSP's own record of a withdrawal's payout; fails where it has none. */
export const payoutOf = ({ psp }: ApiPixStage, { payoutId }: Requested): PspPayout => {
  const found = psp.payout(payoutId)
  if (found === undefined) throw new Error(`the PSP knows no payout ${payoutId}`)
  return found
}

/** Requests and approves a withdrawal, and waits until the PSP has its payout. */
export const send = async (stage: ApiPixStage, payee?: Payee): Promise<Requested> => {
  const requested = await request(stage, payee)
  await approve(stage, requested)
  await stage.psp.waitFor(`PUT /v3/gn/pix/${requested.payoutId}`, 1)
  return requested
}

/** The balance by bucket, in centavos. */
export const bucketsOf = async (client: Client) => {
  const { available, reserve, pending_withdraw } = await balanceOf(client)
  return { available, reserve, pending_withdraw }
}

export const held = { available: funds - total, reserve: 0, pending_withdraw: total }
const settled = { available: funds - total, reserve: 0, pending_withdraw: 0 }
const whole = { available: funds, reserve: 0, pending_withdraw: 0 }

const entriesOf = async (client: Client, { id }: Withdrawal) =>
  (await ledgerOf(client)).filter(({ resource_id }) => resource_id === id)

const holding = {
  kind: "withdrawal_held",
  postings: [
    { bucket: "available", amount: -total },
    { bucket: "pending_withdraw", amount: total },
  ],
}

/** The statuses that a withdrawal went through, by its events; the last event must match it as it is now. */
export const statusesOf = async ({ live, withdrawal }: Requested): Promise<ReadonlyArray<string>> => {
  const events = await withdrawalEvents(live, withdrawal.id)
  expect(events.map(({ type }) => type)).toEqual(events.map(({ data }) => `withdrawal.${data.object.status}`))
  expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b))
  expect(events.at(-1)?.data.object).toEqual(await getWithdrawal(live, withdrawal.id))
  return events.map(({ data }) => `${data.object.status}`)
}

/** Asserts that a withdrawal was paid exactly once, by our events, ledger and balance and the PSP's books. */
export const expectPaidOnce = async (
  stage: ApiPixStage,
  requested: Requested,
  first: "awaiting" | "approved" = "awaiting",
): Promise<void> => {
  const { live, withdrawal, payoutId } = requested
  const { endToEndId, valor } = payoutOf(stage, requested)
  expect([valor, stage.psp.payouts.get(payoutId)]).toEqual(["50.00", 1])
  expect(await getWithdrawal(live, withdrawal.id)).toMatchObject({
    status: "successful",
    end_to_end_id: endToEndId,
    failure_reason: null,
  })
  const wanted = ["awaiting", "approved", "processing", "successful"]
  expect(await statusesOf(requested)).toEqual(wanted.slice(wanted.indexOf(first)))
  const settling = {
    kind: "withdrawal_settled",
    postings: [
      { bucket: "pending_withdraw", amount: -total },
      { bucket: "external", amount },
      { bucket: "fees", amount: total - amount },
    ],
    balance: settled,
  }
  expect(await entriesOf(live, withdrawal)).toMatchObject([holding, settling])
  expect(await bucketsOf(live)).toEqual(settled)
}

/** Asserts that a withdrawal has ended unpaid, and that its money was returned exactly once. */
export const expectReturnedOnce = async (
  requested: Requested,
  end: "failed" | "rejected",
  reason: string | null,
): Promise<void> => {
  const { live, withdrawal } = requested
  expect(await getWithdrawal(live, withdrawal.id)).toMatchObject({
    status: end,
    end_to_end_id: null,
    failure_reason: reason,
  })
  const wanted = {
    failed: ["awaiting", "approved", "processing", "failed"],
    rejected: ["awaiting", "rejected"],
  }
  expect(await statusesOf(requested)).toEqual(wanted[end])
  const returning = {
    kind: "withdrawal_returned",
    postings: [
      { bucket: "pending_withdraw", amount: -total },
      { bucket: "available", amount: total },
    ],
    balance: whole,
  }
  expect(await entriesOf(live, withdrawal)).toMatchObject([holding, returning])
  expect(await bucketsOf(live)).toEqual(whole)
}
