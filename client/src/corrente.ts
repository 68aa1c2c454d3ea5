import { type Resources, resourcesOf } from "./resources.ts"
import { type CorrenteOptions, makeTransport } from "./transport.ts"

/**
 * The API under one key. Calls that fail are tried again where that is safe and may help (429, 503, `idempotency_in_progress`, broken
 * networks), as `Retry-After` asks; every other failure is a CorrenteError.
 */
export class Corrente {
  readonly transactions: Resources["transactions"]
  readonly refunds: Resources["refunds"]
  readonly paymentLinks: Resources["paymentLinks"]
  readonly customers: Resources["customers"]
  readonly withdrawals: Resources["withdrawals"]
  readonly balance: Resources["balance"]
  readonly ledger: Resources["ledger"]
  readonly statement: Resources["statement"]
  readonly pixKeys: Resources["pixKeys"]
  readonly events: Resources["events"]
  readonly webhookDeliveries: Resources["webhookDeliveries"]
  /** For test keys: what payers, banks and time do. */
  readonly test: Resources["test"]

  /** Fails with `invalid_call` for options that cannot be used. */
  constructor(options: CorrenteOptions) {
    const resources = resourcesOf(makeTransport(options))
    this.transactions = resources.transactions
    this.refunds = resources.refunds
    this.paymentLinks = resources.paymentLinks
    this.customers = resources.customers
    this.withdrawals = resources.withdrawals
    this.balance = resources.balance
    this.ledger = resources.ledger
    this.statement = resources.statement
    this.pixKeys = resources.pixKeys
    this.events = resources.events
    this.webhookDeliveries = resources.webhookDeliveries
    this.test = resources.test
  }
}
