import { partiallyRefundedEventType } from "../../schema/events.ts"
import { type Feed, isId } from "../../schema/ids.ts"
import { pixKeyStatuses, pixKeyTypes } from "../../schema/resources/pixKey.ts"
import { isRefundOver, refundStatuses } from "../../schema/resources/refund.ts"
import { transactionStatuses } from "../../schema/resources/transaction.ts"
import { isWithdrawalOver, withdrawalStatuses } from "../../schema/resources/withdrawal.ts"
import * as keys from "../store/keys.ts"
import { chargeMoneyFault } from "./chargeMoney.ts"
import { type Fault, shown } from "./difference.ts"
import {
  type ChargeDocument,
  type RefundDocument,
  readChargeDocument,
  readRefundDocument,
  readWithdrawalDocument,
  type WithdrawalDocument,
} from "./documents.ts"
import { timersOfCharge, timersOfRefund, timersOfWithdrawal } from "./neededTimers.ts"
import type { Fields } from "./reads.ts"
import { refundMoneyFault } from "./refundMoney.ts"
import type { MoneyKind, ResourceKind } from "./resourceKind.ts"
import { hasLaterMoney, withdrawalMoneyFault } from "./withdrawalMoney.ts"

const unreadable: Fault = { expected: "a readable document", found: "an unreadable one" }

/** The fault of the fields that a document repeats from its hash. */
const identityFault = (
  document: { readonly id: string; readonly mode: string; readonly status: string },
  id: string,
  feed: Feed,
  record: Fields,
): Fault | undefined => {
  const expected = `${id} ${feed.mode} ${record.status}`
  const found = `${document.id} ${document.mode} ${document.status}`
  return expected === found ? undefined : { expected: `a document of ${expected}`, found }
}

/** The statuses that a charge has passed, by the times in its document. */
const passedStatuses = (charge: ChargeDocument): ReadonlyArray<string> => [
  ...(charge.expired_at === null ? [] : ["expired"]),
  ...(charge.paid_at === null ? [] : ["paid"]),
  ...(charge.failed_at === null ? [] : ["failed"]),
  ...(charge.refunded_at === null ? [] : ["refunded"]),
  ...(charge.chargeback_at === null ? [] : ["chargeback"]),
]

const chargeFault = (charge: ChargeDocument): Fault | undefined => {
  const passed = passedStatuses(charge)
  const last = charge.status === "pending" ? passed.length === 0 : passed.includes(charge.status)
  if (!last)
    return { expected: `the time of ${charge.status}`, found: `times of ${passed.join(", ") || "none"}` }
  if ((charge.status === "refunded" || charge.status === "chargeback") && charge.paid_at === null) {
    return { expected: "the time of its payment", found: "none" }
  }
  if (charge.net_amount !== charge.amount - charge.fee) {
    return { expected: `net_amount ${charge.amount - charge.fee}`, found: String(charge.net_amount) }
  }
  const refunded = charge.refunds.reduce((sum, { amount }) => sum + amount, 0)
  if (charge.refunded_amount !== refunded) {
    return { expected: `refunded_amount ${refunded}`, found: String(charge.refunded_amount) }
  }
  const isReturned = charge.status === "refunded" || charge.status === "chargeback"
  if (isReturned !== refunded >= charge.amount) {
    return { expected: `a status that fits ${refunded} refunded of ${charge.amount}`, found: charge.status }
  }
  return undefined
}

const listed = (types: ReadonlyArray<string | undefined>): string =>
  types.map((type) => type ?? "one no longer kept").join(", ") || "none"

/** The fault of events of which each expected type must occur once, as far as they are kept. */
const eventsOfEachFault = (
  expected: ReadonlyArray<string>,
  types: ReadonlyArray<string | undefined>,
): Fault | undefined => {
  const kept = types.filter((type) => type !== undefined)
  const isEach = types.length === expected.length && new Set(kept).size === kept.length
  if (isEach && kept.every((type) => expected.includes(type))) return undefined
  return { expected: `one event of each type: ${listed(expected)}`, found: listed(types) }
}

/**
 * How many events tell of a part of the charge that went back: one for each refund that left something, without those from
 * before refunds were resources; and perhaps one for each after the charge had ended, which only those that began at the
 * acquirer have.
 */
const partsOf = ({ refunds, amount }: ChargeDocument): { readonly least: number; readonly most: number } => {
  let returned = 0
  let [left, after] = [0, 0]
  for (const refund of refunds) {
    if (returned >= amount) after += 1
    returned += refund.amount
    if (isId("rfd_", refund.id) && returned < amount) left += 1
  }
  return { least: left, most: left + after }
}

const exceptionEventType = "transaction.exception"

/** The fault of a charge's events: one for each status, one for each part that went back, and those of its exceptions. */
const chargeEventsFault = (
  charge: ChargeDocument,
  types: ReadonlyArray<string | undefined>,
): Fault | undefined => {
  const expected = ["created", ...passedStatuses(charge)].map((status) => `transaction.${status}`)
  const { least, most } = partsOf(charge)
  const ofExceptions = types.filter((type) => type === exceptionEventType).length
  const kept = types.filter((type) => type !== undefined).filter((type) => type !== exceptionEventType)
  const ofStatuses = kept.filter((type) => type !== partiallyRefundedEventType)
  const parts = Math.min(most, Math.max(least, kept.length - ofStatuses.length))
  const others = types.length - expected.length - parts
  const isEach =
    // Events that are no longer kept may have been of exceptions, of which a charge may have any number.
    others >= ofExceptions &&
    others - ofExceptions <= types.filter((type) => type === undefined).length &&
    kept.length - ofStatuses.length <= parts &&
    new Set(ofStatuses).size === ofStatuses.length &&
    ofStatuses.every((type) => expected.includes(type))
  if (isEach) return undefined
  const told = [...expected, ...Array.from({ length: parts }, () => partiallyRefundedEventType)]
  return { expected: `one event of each: ${listed(told)}`, found: listed(types) }
}

/** The statuses that a withdrawal has passed, without `awaiting`. */
const passedStatesOf = (withdrawal: WithdrawalDocument): ReadonlyArray<string> => [
  ...(withdrawal.approved_at === null ? [] : ["approved"]),
  ...(withdrawal.processing_at === null ? [] : ["processing"]),
  ...(isWithdrawalOver(withdrawal.status) ? [withdrawal.status] : []),
]

/** Types of what may still happen to a withdrawal that is over, as often as there is reason to. */
const laterTypes: ReadonlyArray<string> = ["withdrawal.returned", "withdrawal.debited"]

/** The fault of a withdrawal's events: one for each status, and those of what came after its end. */
const withdrawalEventsFault = (
  withdrawal: WithdrawalDocument,
  types: ReadonlyArray<string | undefined>,
): Fault | undefined => {
  const passed = passedStatesOf(withdrawal)
  const others = types.filter((type) => type === undefined || !laterTypes.includes(type))
  const trimmed = others.filter((type) => type === undefined).length
  // Of those that are no longer kept, some may have come after its end too.
  const excess = Math.min(trimmed, Math.max(0, others.length - passed.length - 1))
  const own = others.slice(excess)
  if (own.length < types.length && !hasLaterMoney(withdrawal)) {
    return { expected: "no event after its end, since no money moved then", found: listed(types) }
  }
  // An automatically approved one was never awaiting.
  const statuses = own.length > passed.length ? ["awaiting", ...passed] : passed
  return eventsOfEachFault(
    statuses.map((status) => `withdrawal.${status}`),
    own,
  )
}

/** Charges (docs/contract/transactions.md#states). */
export const chargeKind: MoneyKind = {
  check: "charge",
  statuses: transactionStatuses,
  openStatuses: ["pending"],
  // A charge is created without money.
  eventsBeforeMoney: 1,
  fields: ["document", "events", "refunding", "release", "account", "customer"],
  hashKey: keys.transactionKey,
  indexKey: ({ sellerId, mode }, status) => keys.transactionsKey(sellerId, mode, status),
  partitionIndexKey: undefined,
  recordFault: (id, feed, record) => {
    const document = readChargeDocument(record.document)
    if (document === undefined) return unreadable
    return identityFault(document, id, feed, record) ?? chargeFault(document)
  },
  eventsFault: (record, types) => {
    const document = readChargeDocument(record.document)
    if (document === undefined) return unreadable
    return chargeEventsFault(document, types)
  },
  timersOf: (id, _, record) => timersOfCharge(id, record),
  relatedKey: keys.refundsOfKey,
  moneyFault: (record) => {
    const document = readChargeDocument(record.document)
    return document === undefined ? () => unreadable : (entries) => chargeMoneyFault(document, entries)
  },
}

/** Withdrawals (docs/contract/withdrawals.md#states). */
export const withdrawalKind: MoneyKind = {
  check: "withdrawal",
  statuses: withdrawalStatuses,
  openStatuses: withdrawalStatuses.filter((status) => !isWithdrawalOver(status)),
  eventsBeforeMoney: 0,
  fields: ["document", "events", "version", "day"],
  hashKey: keys.withdrawalKey,
  indexKey: ({ sellerId, mode }, status) => keys.withdrawalsKey(sellerId, mode, status),
  partitionIndexKey: ({ sellerId, mode }, status) =>
    keys.partitionWithdrawalsKey(keys.tagOf(sellerId), mode, status),
  recordFault: (id, feed, record) => {
    const document = readWithdrawalDocument(record.document)
    if (document === undefined) return unreadable
    if (!/^\d{4}-\d\d-\d\d$/.test(record.day ?? "")) return { expected: "a day", found: shown(record.day) }
    const { amount, fee, total } = document
    if (total !== amount + fee) return { expected: `total ${amount + fee}`, found: String(total) }
    return identityFault(document, id, feed, record)
  },
  eventsFault: (record, types) => {
    const document = readWithdrawalDocument(record.document)
    if (document === undefined) return unreadable
    if (record.version !== String(types.length)) {
      return { expected: `one event for each of ${record.version} commits`, found: listed(types) }
    }
    return withdrawalEventsFault(document, types)
  },
  timersOf: timersOfWithdrawal,
  moneyFault: (record) => {
    const document = readWithdrawalDocument(record.document)
    return document === undefined ? () => unreadable : (entries) => withdrawalMoneyFault(document, entries)
  },
}

const refundFault = (refund: RefundDocument, record: Fields): Fault | undefined => {
  const held = Number(record.held_from_reserve ?? 0)
  if (refund.transaction_id !== record.transaction) {
    return { expected: `transaction ${refund.transaction_id}`, found: shown(record.transaction) }
  }
  if (!(held >= 0 && held <= (refund.origin === "partner" ? 0 : refund.amount))) {
    return {
      expected: "held_from_reserve of no more than what it holds",
      found: shown(record.held_from_reserve),
    }
  }
  if (isRefundOver(refund.status) === (refund.completed_at !== null)) return undefined
  return {
    expected: `completed_at that fits ${refund.status}`,
    found: shown(refund.completed_at ?? undefined),
  }
}

/** The events of a refund; one that began at the acquirer is known once it has succeeded. */
const refundEvents = ({ status, origin }: RefundDocument): ReadonlyArray<string> => [
  ...(origin === "partner" ? [] : ["refund.created"]),
  ...(isRefundOver(status) ? [`refund.${status}`] : []),
]

/** Refunds (docs/contract/refunds.md#states). */
export const refundKind: MoneyKind = {
  check: "refund",
  statuses: refundStatuses,
  openStatuses: refundStatuses.filter((status) => !isRefundOver(status)),
  eventsBeforeMoney: 0,
  fields: ["document", "events", "transaction", "held_from_reserve"],
  hashKey: keys.refundKey,
  indexKey: ({ sellerId, mode }, status) => keys.refundsKey(sellerId, mode, status),
  partitionIndexKey: undefined,
  recordFault: (id, feed, record) => {
    const document = readRefundDocument(record.document)
    if (document === undefined) return unreadable
    return identityFault(document, id, feed, record) ?? refundFault(document, record)
  },
  eventsFault: (record, types) => {
    const document = readRefundDocument(record.document)
    return document === undefined ? unreadable : eventsOfEachFault(refundEvents(document), types)
  },
  timersOf: (id, _, record) => timersOfRefund(id, record),
  moneyFault: (record) => {
    const document = readRefundDocument(record.document)
    const held = BigInt(record.held_from_reserve ?? "0")
    return document === undefined ? () => unreadable : (entries) => refundMoneyFault(document, held, entries)
  },
}

/** PIX keys (docs/contract/pix-keys.md#states). */
export const pixKeyKind: ResourceKind = {
  check: "pix_key",
  statuses: pixKeyStatuses,
  fields: ["type", "value_hash", "version", "created_at", "verified_at"],
  hashKey: keys.pixKeyKey,
  indexKey: ({ sellerId, mode }, status) => keys.pixKeysKey(sellerId, mode, status),
  partitionIndexKey: ({ sellerId, mode }, status) =>
    keys.partitionPixKeysKey(keys.tagOf(sellerId), mode, status),
  recordFault: (_, __, record) => {
    if (!pixKeyTypes.some((type) => type === record.type)) {
      return { expected: "a type of PIX key", found: shown(record.type) }
    }
    if (record.status === "verified" && !record.verified_at) {
      return { expected: "the time of its verification", found: "none" }
    }
    return undefined
  },
}

/** The kinds whose changes move money, in the order in which audits read them. */
export const moneyKinds: ReadonlyArray<MoneyKind> = [chargeKind, withdrawalKind, refundKind]
