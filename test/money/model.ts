import type { SellerSettings } from "../../actors/ports/sellerStore.ts"
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
  hadChargeback: boolean
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
      ...{ amount, fee, status: "pending", held: 0, returned: 0, hadChargeback: false },
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
    charge.returned += amount
    charge.hadChargeback ||= kind === "chargeback"
    this.balance.reserve -= fromReserve
    this.balance.available -= amount - fromReserve
    if (charge.returned === charge.amount) this.move(charge, charge.hadChargeback ? "chargeback" : "refunded")
    return true
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
