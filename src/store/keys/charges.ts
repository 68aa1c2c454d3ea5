import type { Feed, Mode } from "../../../schema/ids.ts"
import { refundStatuses } from "../../../schema/resources/refund.ts"
import { transactionStatuses } from "../../../schema/resources/transaction.ts"
import { partitionTag, tagOf, tagOfDestination } from "../tags.ts"
import { byFeed, byId, byStatus } from "./byIds.ts"
import { key } from "./keyKind.ts"

/** Charges, how they are found and counted, and the answers to repeated requests. */
export const chargeKeys = {
  transaction: key(["tag", "id"], (tag, id) => `txn:${tag}:${id}`, {
    family: "transaction",
    type: "hash",
    holds: "one charge",
    details:
      "`seller`, `mode`, `status`, `version`, `document` (JSON, with its `trace_id`, and an empty `qr_base64` and `payment_url`: " +
      "the picture follows from the payload, the link from the id), `events` (entry ids, separated by spaces) and, in live, " +
      "`account` (which acquirer account it belongs to); `customer`, the [digest of its customer](contract/customers.md#ids); once it was refunded `refunding`, the centavos of its refunds under " +
      "way; once its reserve was released `release`, the ledger entry of that",
    lifetime: "kept, but for test",
  }),
  transactions: key(["tag", "seller", "mode"], (tag, seller, mode) => `txns:${tag}:${seller}:${mode}`, {
    family: "transactions",
    type: "set by id",
    holds: "ids of all charges of a seller",
    lifetime: "as the charges",
  }),
  transactionsOfStatus: key(
    ["tag", "seller", "mode", "status"],
    (tag, seller, mode, status) => `txns:${tag}:${seller}:${mode}:${status}`,
    {
      family: "transactions",
      type: "set by id",
      holds: "ids of a seller's charges of one status",
      lifetime: "as the charges",
      values: { status: transactionStatuses },
    },
  ),
  idempotency: key(
    ["tag", "seller", "mode", "route", "key"],
    (tag, seller, mode, route, key) => `idem:${tag}:${seller}:${mode}:${route}:${key}`,
    {
      family: "idempotency",
      type: "hash",
      holds: "the answer given under an `Idempotency-Key`",
      details:
        "`fingerprint`, `state` (`leased` or `done`), `execution`, `lease_until`, `status`, `resource`, and `entry` (the creation " +
        "event, from which a 201 is replayed) or `body`. Routes are `transactions`, `withdrawals`, `refunds`, `payment-links`, `link-charges` (of the pages of links), `bulk` and, for the refunds of a bulk act, `bulk-rows`",
      lifetime: "24 h; a withdrawal's or refund's until 24 h after it ends",
    },
  ),
  notes: key(["tag", "transaction"], (tag, transaction) => `notes:${tag}:${transaction}`, {
    family: "notes",
    type: "hash",
    holds: "a seller's own notes on one charge, by their ids",
    details: "each JSON: `author`, `text`, `created_at`. At most 50. Never in events, nor shown to payers",
    lifetime: "as the charge; until its customer is erased",
  }),
  lookup: key(["tag", "seller", "mode"], (tag, seller, mode) => `lookup:${tag}:${seller}:${mode}`, {
    family: "lookup",
    type: "set by text",
    holds: "by what charges are found",
    details:
      "`<payment link> <charge>`. " +
      "`<digest> <charge>`: 14 characters are the [digest of its customer](contract/customers.md#ids), 16 the beginning of the SHA-256, in " +
      "base64url, of `end_to_end_id <id>`, for [searches](contract/search.md). And `w:<text> <charge>`, for " +
      "[words](contract/transactions.md#search): the first 32 characters of each word of the customer's name and of the " +
      "reference, and of the address, in lower case and without accents. `ZRANGE … '[w:ana' '(w:anb' BYLEX`",
    lifetime: "as the charges; a customer's until it is erased",
  }),
  series: key(
    ["tag", "seller", "mode", "day"],
    (tag, seller, mode, day) => `series:${tag}:${seller}:${mode}:${day}`,
    {
      family: "series",
      type: "hash",
      holds: "counts of a day by its hours",
      details:
        "`<hour>:created`, `:paid` and `:amount` (centavos) of charges, `:refunded`, `:refunded_amount`, `:disputed` and " +
        "`:disputed_amount` of what went back, `:succeeded` and `:failed` of attempts. A `<day>` is of UTC, in days since 1970",
      lifetime: "400 days",
    },
  ),
  received: key(["tag", "day"], (tag, day) => `received:${tag}:${day}`, {
    family: "series",
    type: "hash",
    holds: "what all live sellers of the partition received on a day by its hours",
    details: "`<hour>`, centavos that payers paid. A `<day>` is of UTC, in days since 1970",
    lifetime: "4 days",
  }),
  deliveryTimes: key(
    ["tag", "seller", "mode", "day"],
    (tag, seller, mode, day) => `delivery-times:${tag}:${seller}:${mode}:${day}`,
    {
      family: "series",
      type: "string",
      holds: "how long a day's attempts took",
      details: "a 32-bit number for each hour and bin. `BITFIELD_RO … GET u32 #<hour * 56 + bin>`",
      lifetime: "33 days",
    },
  ),
  endpointSeries: key(
    ["tag", "endpoint", "day"],
    (tag, endpoint, day) => `endpoint-series:${tag}:${endpoint}:${day}`,
    {
      family: "series",
      type: "string",
      holds: "an endpoint's attempts of a day by its hours",
      details:
        "for each hour 58 24-bit numbers, pings apart: those that succeeded, all others, and the 56 bins of how long they took. " +
        "`BITFIELD_RO … GET u24 #<hour * 58>`",
      lifetime: "33 days, or until the endpoint is deleted",
    },
  ),
}

/** Customers. */
export const customerKeys = {
  customers: key(["tag", "seller", "mode"], (tag, seller, mode) => `customers:${tag}:${seller}:${mode}`, {
    family: "customers",
    type: "hash",
    holds: "what the charges of each customer add up to",
    details:
      "digest -> `<paid> <refunded>`, in centavos. Only of those that have paid; their charges are in `lookup` and say the rest",
    lifetime: "as the charges; until the customer is erased",
  }),
  customerMerges: key(
    ["tag", "seller", "mode"],
    (tag, seller, mode) => `customer-merges:${tag}:${seller}:${mode}`,
    {
      family: "customers",
      type: "hash",
      holds: "which customers were merged",
      details:
        "`in:<digest>` -> the digest that it was merged into; `of:<digest>` -> those that were merged into it, separated by spaces",
      lifetime: "as the charges of both",
    },
  ),
}

/** Payment links. */
export const paymentLinkKeys = {
  paymentLink: key(["tag", "id"], (tag, id) => `plk:${tag}:${id}`, {
    family: "payment link",
    type: "hash",
    holds: "one payment link",
    details:
      "`seller`, `mode`, `version`, `active` (`1` or `0`), `payments_max` (empty: any number), `document` (JSON without its counts, and " +
      "with an empty `url`, which follows from the id), and what commits of charges count: `payments`, `paid_amount` (centavos), `pending`; in test mode `gone_payments` and " +
      "`gone_amount`, what they have of charges that are deleted",
    lifetime: "kept",
  }),
  paymentLinks: key(["tag", "seller", "mode"], (tag, seller, mode) => `plks:${tag}:${seller}:${mode}`, {
    family: "payment links",
    type: "set by id",
    holds: "ids of all payment links of a seller",
    lifetime: "kept",
  }),
  paymentLinksOfState: key(
    ["tag", "seller", "mode", "state"],
    (tag, seller, mode, state) => `plks:${tag}:${seller}:${mode}:${state}`,
    {
      family: "payment links",
      type: "set by id",
      holds: "ids of a seller's payment links that are switched on, or off",
      lifetime: "kept",
      values: { state: ["active", "inactive"] },
    },
  ),
}

/** Reports by mail. */
export const reportKeys = {
  report: key(["tag", "id"], (tag, id) => `rpt:${tag}:${id}`, {
    family: "report",
    type: "hash",
    holds: "one report by mail",
    details:
      "`seller`, `mode`, `kind`, `format`, `locale`, `every`, `created_at`, `sealed` (who gets it, ciphertext of JSON), `next` (when it is " +
      "due, ms; empty: nobody is left). What was mailed last: `last_from`, `last_to` (days), `last_at` (ms), `last_failed` (how many " +
      "mails were given up). While one is mailed: `lease` (its end, ms), `run_from` (its first day), `run_done` (who has it), " +
      "`run_failed`, `run_tries`",
    lifetime: "until it is deleted",
  }),
  reports: key(["tag", "seller", "mode"], (tag, seller, mode) => `rpts:${tag}:${seller}:${mode}`, {
    family: "reports",
    type: "set by id",
    holds: "ids of all reports of a seller",
    lifetime: "until they are deleted",
  }),
  reportLinks: key(["tag", "report"], (tag, report) => `rpt-links:${tag}:${report}`, {
    family: "links of a report",
    type: "hash",
    holds: "the mailed links of one report",
    details: "the SHA-256 of each link's secret (base64url) -> `<end in ms> <first day> <last day>`",
    lifetime: "7 days after the last one was made, or until the report is deleted",
  }),
}

/** Refunds. */
export const refundKeys = {
  refund: key(["tag", "id"], (tag, id) => `rfd:${tag}:${id}`, {
    family: "refund",
    type: "hash",
    holds: "one refund",
    details:
      "`seller`, `mode`, `transaction` (its charge), `status`, `version`, `document`, `events`, `held_from_reserve` (centavos of " +
      "its hold that came from the charge's reserve), in live `account`; where we began it, `idempotency_route` and " +
      "`idempotency_key`",
    lifetime: "as its charge",
  }),
  refunds: key(["tag", "seller", "mode"], (tag, seller, mode) => `rfds:${tag}:${seller}:${mode}`, {
    family: "refunds",
    type: "set by id",
    holds: "ids of all refunds of a seller",
    lifetime: "as the refunds",
  }),
  refundsOfStatus: key(
    ["tag", "seller", "mode", "status"],
    (tag, seller, mode, status) => `rfds:${tag}:${seller}:${mode}:${status}`,
    {
      family: "refunds",
      type: "set by id",
      holds: "ids of a seller's refunds of one status",
      lifetime: "as the refunds",
      values: { status: refundStatuses },
    },
  ),
  refundsOf: key(["tag", "transaction"], (tag, transaction) => `rfds-of:${tag}:${transaction}`, {
    family: "refunds of a transaction",
    type: "set by id",
    holds: "ids of one charge's refunds",
    lifetime: "as the charge",
  }),
  stuckRefunds: key(["tag"], (tag) => `stuck-refunds:${tag}`, {
    family: "stuck refunds",
    type: "set by time",
    holds:
      "live refunds that were processing for longer than `PAYOUT_STUCK_SECONDS` when the acquirer was asked about them, by since " +
      "when (ms)",
    lifetime: "a member is removed when its refund ends",
  }),
}

export const transactionKey = byId(chargeKeys.transaction.name)
export const transactionsKey = byStatus(chargeKeys.transactions.name, chargeKeys.transactionsOfStatus.name)
export const idempotencyKey = (sellerId: string, mode: Mode, route: string, key: string): string =>
  chargeKeys.idempotency.name(tagOf(sellerId), sellerId, mode, route, key)
export const notesKey = byId(chargeKeys.notes.name)
export const customersKey = byFeed(customerKeys.customers.name)
export const customerMergesKey = byFeed(customerKeys.customerMerges.name)
export const lookupKey = byFeed(chargeKeys.lookup.name)
export const seriesKey = ({ sellerId, mode }: Feed, day: number | "*"): string =>
  chargeKeys.series.name(tagOf(sellerId), sellerId, mode, String(day))
export const receivedKey = (partition: number, day: number): string =>
  chargeKeys.received.name(partitionTag(partition), String(day))
export const deliveryTimesKey = ({ sellerId, mode }: Feed, day: number | "*"): string =>
  chargeKeys.deliveryTimes.name(tagOf(sellerId), sellerId, mode, String(day))
export const endpointSeriesKey = (endpointId: string, day: number | "*"): string =>
  chargeKeys.endpointSeries.name(tagOfDestination(endpointId), endpointId, String(day))

export const paymentLinkKey = byId(paymentLinkKeys.paymentLink.name)
export const paymentLinksKey = byStatus(
  paymentLinkKeys.paymentLinks.name,
  paymentLinkKeys.paymentLinksOfState.name,
)

export const reportKey = byId(reportKeys.report.name)
export const reportsKey = byFeed(reportKeys.reports.name)
export const reportLinksKey = byId(reportKeys.reportLinks.name)

export const refundKey = byId(refundKeys.refund.name)
export const refundsKey = byStatus(refundKeys.refunds.name, refundKeys.refundsOfStatus.name)
export const refundsOfKey = byId(refundKeys.refundsOf.name)
export const stuckRefundsKey = refundKeys.stuckRefunds.name
