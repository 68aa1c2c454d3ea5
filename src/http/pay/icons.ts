import type { TransactionStatus } from "../../../schema/resources/transaction.ts"

const drawn = (shape: string): string =>
  `<svg class="icon" viewBox="0 0 48 48" width="64" height="64" aria-hidden="true" focusable="false"><circle cx="24" cy="24" r="24"/>${shape}</svg>`

const check = drawn('<path d="M14.5 24.5l6.5 6.5 12.5-13.5"/>')
const clock = drawn('<path d="M24 13.5V24l7 5"/>')
const cross = drawn('<path d="M17 17l14 14M31 17L17 31"/>')
const back = drawn('<path d="M20.5 16l-6 6 6 6M14.5 22H28a5.5 5.5 0 0 1 0 11h-6"/>')
const question = drawn('<path d="M19 19.5a5 5 0 1 1 7 4.6c-1.3.7-2 1.6-2 3.1M24 33v.2"/>')

const icons: Readonly<Record<TransactionStatus | "unknown", string>> = {
  pending: clock,
  paid: check,
  expired: clock,
  failed: cross,
  refunded: back,
  chargeback: back,
  unknown: question,
}

/** The picture of a status, which says nothing that the words beside it do not. */
export const iconOf = (status: TransactionStatus | "unknown"): string => icons[status]
