import { Effect } from "effect"
import type { Act } from "./acts.ts"
import type { Model } from "./model.ts"
import type { SellerDriver } from "./sellerDriver.ts"

/** The outcomes of an act in the model and in the store, where they differ. */
export interface Disagreement {
  readonly act: Act
  readonly expected: string
  readonly found: string
}

const pick = <A>(items: ReadonlyArray<A>, at: number): readonly [number, A] | undefined => {
  const index = at < 0 ? items.length - 1 : at % Math.max(1, items.length)
  const item = items[index]
  return item === undefined ? undefined : [index, item]
}

const perCharge = (
  act: Extract<Act, { readonly at: number }>,
  model: Model,
  driver: SellerDriver,
): Effect.Effect<unknown, unknown> => {
  const picked = pick(model.charges, act.at)
  if (picked === undefined) return Effect.void
  const [index, charge] = picked
  switch (act.kind) {
    case "pay":
      // A transfer to a charge that can no longer be paid would be an exception, which other tests cover.
      return model.pay(charge) ? driver.pay(index, charge.amount) : Effect.void
    case "expire":
      model.end(charge, "expired")
      return driver.end(index, "expired")
    case "fail":
      model.end(charge, "failed")
      return driver.end(index, "failed")
    case "release":
      model.release(charge)
      return driver.release(index)
    case "giveBack":
      model.giveBack(charge, act.how, act.amount)
      return driver.giveBack(index, act.how, act.amount)
    default:
      return Effect.void
  }
}

const perWithdrawal = (
  act: Extract<Act, { readonly at: number }>,
  model: Model,
  driver: SellerDriver,
): Effect.Effect<unknown, unknown> => {
  const picked = pick(model.withdrawals, act.at)
  if (picked === undefined) return Effect.void
  const [index, withdrawal] = picked
  // Nothing leaves while the seller owes: it waits.
  const isInDebt = model.balance.available < 0
  switch (act.kind) {
    case "approve":
      if (!isInDebt) model.step(withdrawal, "awaiting", "approved")
      return driver.decide(index, "approve")
    case "reject":
      model.step(withdrawal, "awaiting", "rejected")
      return driver.decide(index, "reject")
    case "cancel":
      model.step(withdrawal, "awaiting", "cancelled")
      return driver.decide(index, "cancel")
    case "send":
      if (!isInDebt) model.step(withdrawal, "approved", "processing")
      return driver.send(index)
    case "paid":
      model.step(withdrawal, "processing", "successful")
      return driver.settle(index, true)
    case "notPaid":
      model.step(withdrawal, "processing", "failed")
      return driver.settle(index, false)
    default:
      return Effect.void
  }
}

const perRefund = (
  act: Extract<Act, { readonly kind: "sendRefund" | "refundDone" | "refundFailed" }>,
  model: Model,
  driver: SellerDriver,
): Effect.Effect<unknown, unknown> => {
  const picked = pick(model.refunds, act.at)
  if (picked === undefined) return Effect.void
  const [index, refund] = picked
  if (act.kind === "sendRefund") {
    if (refund.status === "pending") refund.status = "processing"
    return driver.sendRefund(index)
  }
  const isMade = model.endRefund(refund, act.kind === "refundDone")
  return driver.settleRefund(index, act.kind === "refundDone", isMade)
}

/** Applies one act to both. Returns how they disagree; undefined where they agree. */
export const perform = (
  act: Act,
  model: Model,
  driver: SellerDriver,
): Effect.Effect<Disagreement | undefined, unknown> => {
  switch (act.kind) {
    case "charge":
      model.charge(act.amount)
      return driver
        .charge(act.amount)
        .pipe(
          Effect.andThen(act.isPaid ? perCharge({ kind: "pay", at: -1 }, model, driver) : Effect.void),
          Effect.as(undefined),
        )
    case "nextDay":
      model.day += 1
      return Effect.sync(() => driver.nextDay()).pipe(Effect.as(undefined))
    case "withdraw": {
      const expected = model.withdraw(act.amount)
      return Effect.map(driver.withdraw(act.amount, act.isRepeated), (found) =>
        found === expected ? undefined : { act, expected, found },
      )
    }
    case "refund": {
      const picked = pick(model.charges, act.at)
      if (picked === undefined) return Effect.succeed(undefined)
      const [index, charge] = picked
      const amount = act.percent === undefined ? undefined : Math.ceil((charge.amount / 100) * act.percent)
      const expected = model.refund(charge, amount)
      return Effect.map(driver.refund(index, amount, act.isRepeated), (found) =>
        found === expected ? undefined : { act, expected, found },
      )
    }
    case "sendRefund":
    case "refundDone":
    case "refundFailed":
      return Effect.as(perRefund(act, model, driver), undefined)
    case "pay":
    case "expire":
    case "fail":
    case "release":
    case "giveBack":
      return Effect.as(perCharge(act, model, driver), undefined)
    default:
      return Effect.as(perWithdrawal(act, model, driver), undefined)
  }
}
