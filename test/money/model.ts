import type { SellerSettings } from "../../actors/ports/sellerStore.ts"
import type { RefundStatus } from "../../schema/resources/refund.ts"
import type { TransactionStatus } from "../../schema/resources/transaction.ts"
import { isWithdrawalOver, type WithdrawalStatus } from "../../schema/resources/withdrawal.ts"

/** A charge as the model knows it. */
export interface ModelCharge {
  readonly amount: number
  readonly fee: number
  readonly events: Array<string>
  status: TransactionStatus
  /** How much of it the reserve still holds. */
  held: number
  returned: number
  /** How much of it refunds under way hold. */
  refunding: number
  hadChargeback: boolean
  /** The day of its payment; its reserve is due a day later. */
  paidDay: number
}

/** A refund that the seller requested. */
export interface ModelRefund {
  readonly charge: ModelCharge
  readonly amount: number
  readonly fromReserve: number
  readonly events: Array<string>
  status: RefundStatus
}

export interface ModelWithdrawal {
  readonly amount: number
  readonly fee: number
  readonly day: number
  readonly events: Array<string>
  status: WithdrawalStatus
}

const halfUp = (amount: number, bps: number): number => Math.floor((amount * bps * 2 + 10_000) / 20_000)

/**
 * A seller's money, modelled by the decisions and nothing else; the store must agree with it. Acts return whether they
 * were applied.
 */
export class Model {
  readonly charges: Array<ModelCharge> = []
  readonly withdrawals: Array<ModelWithdrawal> = []
  readonly refunds: Array<ModelRefund> = []
  readonly balance = { available: 0, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 }
  day = 0
  readonly settings: SellerSettings

  constructor(settings: SellerSettings) {
    this.settings = settings
  }

  charge(amount: number): void {
    const { chargeFeeBps, chargeFeeFixed } = this.settings
    const fee = Math.min(amount, halfUp(amount, chargeFeeBps) + chargeFeeFixed)
    this.charges.push({
      ...{
        amount,
        fee,
        status: "pending",
        held: 0,
        returned: 0,
        refunding: 0,
        hadChargeback: false,
        paidDay: 0,
      },
      events: ["transaction.created"],
    })
  }

  private move(charge: ModelCharge, to: TransactionStatus): void {
    charge.status = to
    charge.events.push(`transaction.${to}`)
  }

  pay(charge: ModelCharge): boolean {
    if (charge.status !== "pending" && charge.status !== "expired") return false
    const net = charge.amount - charge.fee
    charge.held = halfUp(net, this.settings.reserveBps)
    this.balance.reserve += charge.held
    this.balance.available += net - charge.held
    charge.paidDay = this.day
    this.move(charge, "paid")
    return true
  }

  end(charge: ModelCharge, to: "expired" | "failed"): boolean {
    if (charge.status !== "pending") return false
    this.move(charge, to)
    return true
  }

  giveBack(charge: ModelCharge, kind: "refund" | "chargeback", wanted: number): boolean {
    const amount = Math.min(wanted, charge.amount - charge.returned)
    if (charge.status !== "paid" || amount <= 0) return false
    const fromReserve = Math.min(charge.held, amount)
    charge.held -= fromReserve
    charge.hadChargeback ||= kind === "chargeback"
    this.balance.reserve -= fromReserve
    this.balance.available -= amount - fromReserve
    this.returned(charge, amount)
    return true
  }

  private returned(charge: ModelCharge, amount: number): void {
    charge.returned += amount
    if (charge.returned < charge.amount) charge.events.push("transaction.partially_refunded")
    else this.move(charge, charge.hadChargeback ? "chargeback" : "refunded")
  }

  /** The code that a request is answered with; "201" where the refund is made. Without an amount it is of all that is left. */
  refund(charge: ModelCharge, wanted: number | undefined): string {
    const left = charge.amount - charge.returned - charge.refunding
    if (charge.status !== "paid" || left <= 0) return "invalid_state"
    const amount = wanted ?? left
    if (amount > left) return "validation_failed"
    const fromReserve = Math.min(charge.held, amount)
    const fromAvailable = amount - fromReserve
    const { available, reserve } = this.balance
    if (fromAvailable > Math.max(0, available)) return "insufficient_balance"
    // The reserve that is left must cover a debt.
    if (available < 0 && available + reserve < amount) return "insufficient_balance"
    this.refunds.push({ charge, amount, fromReserve, status: "pending", events: ["refund.created"] })
    charge.held -= fromReserve
    charge.refunding += amount
    this.balance.reserve -= fromReserve
    this.balance.available -= fromAvailable
    this.balance.pendingRefund += amount
    return "201"
  }

  /** Ends a refund that was sent. In test mode one that its charge has no room for any more fails. */
  endRefund(refund: ModelRefund, isDone: boolean): boolean {
    const { charge, amount, fromReserve } = refund
    if (refund.status !== "processing") return false
    const isMade = isDone && charge.returned + amount <= charge.amount
    refund.status = isMade ? "succeeded" : "failed"
    refund.events.push(`refund.${refund.status}`)
    charge.refunding -= amount
    this.balance.pendingRefund -= amount
    if (isMade) this.returned(charge, amount)
    else {
      const toReserve = charge.status === "paid" && this.day <= charge.paidDay ? fromReserve : 0
      charge.held += toReserve
      this.balance.reserve += toReserve
      this.balance.available += amount - toReserve
    }
    return isMade
  }

  release(charge: ModelCharge): boolean {
    if (charge.held === 0) return false
    this.balance.reserve -= charge.held
    this.balance.available += charge.held
    charge.held = 0
    return true
  }

  get open(): ModelWithdrawal | undefined {
    return this.withdrawals.find(({ status }) => !isWithdrawalOver(status))
  }

  /** The code that a request is answered with; "201" where the withdrawal is made. */
  withdraw(amount: number): string {
    const { withdrawalFee: fee, withdrawalDailyValue, withdrawalDailyCount } = this.settings
    const today = this.withdrawals.filter(({ day }) => day === this.day)
    const returned = ["rejected", "failed", "cancelled"]
    const spent = today
      .filter(({ status }) => !returned.includes(status))
      .reduce((sum, withdrawal) => sum + withdrawal.amount, 0)
    if (amount < 100 || this.balance.available < amount + fee) return "insufficient_balance"
    if (spent + amount > withdrawalDailyValue || today.length + 1 > withdrawalDailyCount) {
      return "daily_limit_exceeded"
    }
    if (this.open !== undefined) return "invalid_state"
    const status = this.settings.withdrawalAutoApproval ? "approved" : "awaiting"
    this.withdrawals.push({ amount, fee, day: this.day, status, events: [`withdrawal.${status}`] })
    this.balance.available -= amount + fee
    this.balance.pendingWithdraw += amount + fee
    return "201"
  }

  step(withdrawal: ModelWithdrawal, from: WithdrawalStatus, to: WithdrawalStatus): boolean {
    if (withdrawal.status !== from) return false
    const total = withdrawal.amount + withdrawal.fee
    withdrawal.status = to
    withdrawal.events.push(`withdrawal.${to}`)
    if (!isWithdrawalOver(to)) return true
    this.balance.pendingWithdraw -= total
    if (to !== "successful") this.balance.available += total
    return true
  }
}
