import { Effect } from "effect"
import type { CreateTransaction, Transaction, Withdrawal } from "../client/src/index.ts"
import { CliFailure } from "./failure.ts"
import type { Session } from "./session.ts"

/** A charge that test mode takes. Amounts that end in 01 to 05 have outcomes of their own; `amount` has none by default. */
export const sampleCharge = (amount: number) =>
  ({
    amount,
    payment_method: "pix",
    customer: { name: "Ana Souza", email: "ana@example.com", document: "52998224725" },
    items: [{ name: "Sample", quantity: 1, unit_amount: amount }],
  }) satisfies CreateTransaction

type Call = Session["call"]
/** Makes an event happen, and answers the id of the resource that it is about. */
type Recipe = (call: Call) => Effect.Effect<{ readonly id: string }, CliFailure>

const chargeAmount = 12_990
const partAmount = 1_000

const newCharge = (call: Call) =>
  call(({ transactions }, options) => transactions.create(sampleCharge(chargeAmount), options))

type ChargeAct = "pay" | "expire" | "fail" | "refund" | "chargeback"
const actOn = (call: Call, { id }: Pick<Transaction, "id">, act: ChargeAct) =>
  call(({ test }, options) => test.transactions[act](id, options))

const paidCharge = (call: Call) => Effect.flatMap(newCharge(call), (charge) => actOn(call, charge, "pay"))

const refundOf = (call: Call, { id }: Pick<Transaction, "id">) =>
  call(({ refunds }, options) => refunds.create(id, { amount: partAmount }, options))

const endedRefund = (call: Call, act: "succeed" | "fail") =>
  paidCharge(call).pipe(
    Effect.flatMap((charge) => refundOf(call, charge)),
    Effect.flatMap(({ id }) => call(({ test }, options) => test.refunds[act](id, options))),
  )

const noPixKey = new CliFailure({
  kind: "refused",
  code: "pix_key_not_verified",
  message:
    "This seller has no verified Pix key in test mode, and withdrawals need one: add it as a session (POST /v1/me/pix-keys, docs/contract/pix-keys.md).",
})

/** A withdrawal that awaits its approval; the balance pays it, from a charge that is paid first. */
const newWithdrawal: (call: Call) => Effect.Effect<Withdrawal, CliFailure> = Effect.fnUntraced(
  function* (call) {
    const { data } = yield* call(({ pixKeys }, options) => pixKeys.list(options).page())
    const [pixKey] = data
    if (pixKey === undefined) return yield* noPixKey
    yield* paidCharge(call)
    const body = { amount: partAmount, pix_key_id: pixKey.id }
    return yield* call(({ withdrawals }, options) => withdrawals.create(body, options))
  },
)

type WithdrawalAct = "approve" | "reject" | "succeed" | "fail"
const withdrawalAfter =
  (...acts: ReadonlyArray<WithdrawalAct>): Recipe =>
  (call) =>
    Effect.flatMap(newWithdrawal(call), (withdrawal) =>
      Effect.as(
        Effect.forEach(acts, (act) =>
          call(({ test }, options) => test.withdrawals[act](withdrawal.id, options)),
        ),
        withdrawal,
      ),
    )

const chargeAfter =
  (...acts: ReadonlyArray<ChargeAct>): Recipe =>
  (call) =>
    Effect.flatMap(newCharge(call), (charge) =>
      Effect.as(
        Effect.forEach(acts, (act) => actOn(call, charge, act)),
        charge,
      ),
    )

/** How each type is made, by the calls that would make it in life and the test controls. */
export const recipes = {
  "transaction.created": newCharge,
  "transaction.paid": chargeAfter("pay"),
  "transaction.expired": chargeAfter("expire"),
  "transaction.failed": chargeAfter("fail"),
  "transaction.refunded": chargeAfter("pay", "refund"),
  "transaction.chargeback": chargeAfter("pay", "chargeback"),
  "transaction.partially_refunded": (call) =>
    Effect.map(endedRefund(call, "succeed"), ({ transaction_id }) => ({ id: transaction_id })),
  "refund.created": (call) => Effect.flatMap(paidCharge(call), (charge) => refundOf(call, charge)),
  "refund.succeeded": (call) => endedRefund(call, "succeed"),
  "refund.failed": (call) => endedRefund(call, "fail"),
  "withdrawal.awaiting": withdrawalAfter(),
  "withdrawal.approved": withdrawalAfter("approve"),
  "withdrawal.rejected": withdrawalAfter("reject"),
  "withdrawal.processing": withdrawalAfter("approve", "succeed"),
  "withdrawal.successful": withdrawalAfter("approve", "succeed"),
  "withdrawal.failed": withdrawalAfter("approve", "fail"),
  "withdrawal.cancelled": (call) =>
    Effect.flatMap(newWithdrawal(call), ({ id }) =>
      call(({ withdrawals }, options) => withdrawals.cancel(id, options)),
    ),
} as const satisfies Readonly<Record<string, Recipe>>

/** The types that `trigger` can make. */
export type Triggered = keyof typeof recipes
export const triggeredTypes = Object.keys(recipes) as ReadonlyArray<Triggered>
