import type { Feed, Mode } from "../../../schema/ids.ts"
import { pixKeyStatuses } from "../../../schema/resources/pixKey.ts"
import { withdrawalStatuses } from "../../../schema/resources/withdrawal.ts"
import { partitionTag, tagOf } from "../tags.ts"
import { byFeed, byId, byStatus } from "./byIds.ts"
import { key } from "./keyKind.ts"

/** Balances, ledgers and what proves them. */
export const ledgerKeys = {
  balance: key(["tag", "seller", "mode"], (tag, seller, mode) => `balance:${tag}:${seller}:${mode}`, {
    family: "balance",
    type: "hash",
    holds: "the balance in centavos by bucket, the number of its entries, and the open withdrawal",
    details:
      "buckets (`available`, `reserve`, `pending_withdraw`, `pending_refund`, `external`, `fees`), how many ledger entries " +
      "moved them (`entries`, `credits`, `debits`, `reserve_entries`, `withdrawal_entries`), `open`, the withdrawal in " +
      "progress, and of live `alert_below` and `alert_large`, the amounts of alerts",
    lifetime: "kept",
  }),
  ledger: key(["tag", "seller", "mode"], (tag, seller, mode) => `ledger:${tag}:${seller}:${mode}`, {
    family: "ledger",
    type: "stream",
    holds: "every movement of the balance",
    details:
      "`seq`, `kind`, `resource_type`, `resource`, `event`, `postings`, `balance` (after the entry). `XREVRANGE … + - COUNT 10`",
    lifetime: "kept, but for test: there entries go from the old end, with their resources",
  }),
  ledgerBase: key(["tag", "seller", "mode"], (tag, seller, mode) => `ledger-base:${tag}:${seller}:${mode}`, {
    family: "ledger base",
    type: "hash",
    holds: "what was deleted of the test ledger",
    details:
      "sums under the names of the balance, `entry`, the last of them, and `commits`, how many commits have deleted " +
      "something of the mode. Absent where nothing was",
    lifetime: "kept",
    values: { mode: ["test"] },
  }),
  ledgerDeleted: key(
    ["tag", "seller", "mode"],
    (tag, seller, mode) => `ledger-deleted:${tag}:${seller}:${mode}`,
    {
      family: "deleted resources",
      type: "set by time",
      holds: "ids of deleted resources that the test ledger may still name",
      details: "charges, withdrawals and refunds, by the ledger's newest entry when they were deleted",
      lifetime: "a member is removed when the ledger begins after that entry",
      values: { mode: ["test"] },
    },
  ),
  releases: key(["tag", "seller", "mode"], (tag, seller, mode) => `releases:${tag}:${seller}:${mode}`, {
    family: "releases",
    type: "hash",
    holds: "what the reserve of charges makes available on which day",
    details:
      "`<day>`, centavos of a day in America/Sao_Paulo, `<day>:charges`, how many charges they are of, and `held`, the sum: where it " +
      "is not the balance's `reserve`, the days are not known",
    lifetime: "a day is removed when nothing is left to be released on it",
  }),
  audited: key(["tag", "seller", "mode"], (tag, seller, mode) => `audited:${tag}:${seller}:${mode}`, {
    family: "audited",
    type: "hash",
    holds: "how far the mode has been audited, and the ledger's sums there",
    details:
      "`ledger` and `event`, the newest entry of each stream, `event_seq`, the sums under the names of the balance, and " +
      "`full_at`, when the last audit from the beginning began (ms)",
    lifetime: "kept",
  }),
}

/** Withdrawals. */
export const withdrawalKeys = {
  withdrawal: key(["tag", "id"], (tag, id) => `wd:${tag}:${id}`, {
    family: "withdrawal",
    type: "hash",
    holds: "one withdrawal",
    details:
      "`seller`, `mode`, `status`, `version`, `document`, `events`, `pix_value` (ciphertext), `day`, `idempotency_route`, " +
      "`idempotency_key`, in live `account`",
    lifetime: "kept, but for test",
  }),
  withdrawals: key(["tag", "seller", "mode"], (tag, seller, mode) => `wds:${tag}:${seller}:${mode}`, {
    family: "withdrawals",
    type: "set by id",
    holds: "ids of all withdrawals of a seller",
    lifetime: "as the withdrawals",
  }),
  withdrawalsOfStatus: key(
    ["tag", "seller", "mode", "status"],
    (tag, seller, mode, status) => `wds:${tag}:${seller}:${mode}:${status}`,
    {
      family: "withdrawals",
      type: "set by id",
      holds: "ids of a seller's withdrawals of one status",
      lifetime: "as the withdrawals",
      values: { status: withdrawalStatuses },
    },
  ),
  partitionWithdrawals: key(
    ["tag", "mode", "status"],
    (tag, mode, status) => `wds-all:${tag}:${mode}:${status}`,
    {
      family: "withdrawals of all sellers",
      type: "set by id",
      holds: "ids of the withdrawals of all the partition's sellers",
      details: "For operators' lists",
      lifetime: "as the withdrawals",
      values: { status: withdrawalStatuses },
    },
  ),
  withdrawalDay: key(
    ["tag", "seller", "mode", "day"],
    (tag, seller, mode, day) => `wd-day:${tag}:${seller}:${mode}:${day}`,
    {
      family: "withdrawal day",
      type: "hash",
      holds: "sum and count of the withdrawals of one day, for the daily limits",
      details: "`value`, `count`",
      lifetime: "7 days after its last withdrawal was requested",
    },
  ),
}

/** PIX keys. */
export const pixKeyKeys = {
  pixKey: key(["tag", "id"], (tag, id) => `pk:${tag}:${id}`, {
    family: "PIX key",
    type: "hash",
    holds: "one PIX key; its value is ciphertext",
    details:
      "`seller`, `mode`, `type`, `value` (ciphertext), `value_hash`, `masked`, `status`, `version`, `created_at`, `verified_at`",
    lifetime: "kept, removed ones too",
  }),
  pixKeys: key(["tag", "seller", "mode"], (tag, seller, mode) => `pks:${tag}:${seller}:${mode}`, {
    family: "PIX keys",
    type: "set by id",
    holds: "ids of all PIX keys of a seller",
    lifetime: "kept",
  }),
  pixKeysOfStatus: key(
    ["tag", "seller", "mode", "status"],
    (tag, seller, mode, status) => `pks:${tag}:${seller}:${mode}:${status}`,
    {
      family: "PIX keys",
      type: "set by id",
      holds: "ids of a seller's PIX keys of one status",
      lifetime: "kept",
      values: { status: pixKeyStatuses },
    },
  ),
  partitionPixKeys: key(
    ["tag", "mode", "status"],
    (tag, mode, status) => `pks-all:${tag}:${mode}:${status}`,
    {
      family: "PIX keys of all sellers",
      type: "set by id",
      holds: "ids of the PIX keys of all the partition's sellers",
      details: "For operators' lists",
      lifetime: "kept",
      values: { status: pixKeyStatuses },
    },
  ),
  pixKeyValues: key(["tag", "seller", "mode"], (tag, seller, mode) => `pk-values:${tag}:${seller}:${mode}`, {
    family: "PIX key values",
    type: "hash",
    holds: "the PIX keys that are pending or verified, by the HMAC-SHA256 of their values in base64url",
    details: "key id by HMAC, so that no value is registered twice",
    lifetime: "a field is removed when its key is removed or refused",
  }),
}

/** Closings of days. */
export const closingKeys = {
  closings: key(["mode"], (mode) => `closings:{closings}:${mode}`, {
    family: "closings",
    type: "stream",
    holds: "the closing of each day over all sellers",
    details:
      "`movements`, `closing`, `partner` (received, sent, returned, difference; empty without books), `created_at`. " +
      "`XREVRANGE … + - COUNT 10`",
    lifetime: "kept",
  }),
  closingLease: key([], () => "closing-lease:{closings}", {
    family: "closing lease",
    type: "hash",
    holds: "the process that closes days",
    details: "`holder`, `fence`, `until`",
    lifetime: "kept",
  }),
  closingState: key(["tag"], (tag) => `closing-state:${tag}`, {
    family: "closed days",
    type: "hash",
    holds: "the last day closed in the partition, by mode",
    details: "Also `fence`, the highest that has written",
    lifetime: "kept",
  }),
  closingParts: key(["tag", "mode"], (tag, mode) => `closing-parts:${tag}:${mode}`, {
    family: "closing parts",
    type: "stream",
    holds: "the partition's sums of days on which something moved",
    details: "`movements`, `closing`",
    lifetime: "kept",
  }),
  sellerClosings: key(
    ["tag", "seller", "mode"],
    (tag, seller, mode) => `seller-closings:${tag}:${seller}:${mode}`,
    {
      family: "closings",
      type: "stream",
      holds: "the closings of days on which the seller's money moved",
      details: "`movements`, `closing`",
      lifetime: "kept: about 470 bytes a day on which four kinds moved",
    },
  ),
}

export const balanceKey = byFeed(ledgerKeys.balance.name)
export const ledgerKey = byFeed(ledgerKeys.ledger.name)
export const ledgerBaseKey = byFeed(ledgerKeys.ledgerBase.name)
export const ledgerDeletedKey = byFeed(ledgerKeys.ledgerDeleted.name)
export const releasesKey = byFeed(ledgerKeys.releases.name)
export const auditedKey = byFeed(ledgerKeys.audited.name)
export const withdrawalKey = byId(withdrawalKeys.withdrawal.name)
export const withdrawalsKey = byStatus(
  withdrawalKeys.withdrawals.name,
  withdrawalKeys.withdrawalsOfStatus.name,
)
export const partitionWithdrawalsKey = (tag: string, mode: Mode, status: string): string =>
  withdrawalKeys.partitionWithdrawals.name(tag, mode, status)
export const withdrawalDayKey = ({ sellerId, mode }: Feed, day: string): string =>
  withdrawalKeys.withdrawalDay.name(tagOf(sellerId), sellerId, mode, day)
export const pixKeyKey = byId(pixKeyKeys.pixKey.name)
export const pixKeysKey = byStatus(pixKeyKeys.pixKeys.name, pixKeyKeys.pixKeysOfStatus.name)
export const pixKeyValuesKey = byFeed(pixKeyKeys.pixKeyValues.name)
export const partitionPixKeysKey = (tag: string, mode: Mode, status: string): string =>
  pixKeyKeys.partitionPixKeys.name(tag, mode, status)
export const closingsKey = (mode: Mode): string => closingKeys.closings.name(mode)
/** The entry id of a day in a stream of closings: they sort by day, and no day comes twice. */
export const entryOfDay = (day: string): string => `${day.replaceAll("-", "")}-0`
export const dayOfEntry = (entryId: string): string =>
  `${entryId.slice(0, 4)}-${entryId.slice(4, 6)}-${entryId.slice(6, 8)}`
export const closingLeaseKey = closingKeys.closingLease.name()
export const closingStateKey = (partition: number): string =>
  closingKeys.closingState.name(partitionTag(partition))
export const closingPartsKey = (partition: number, mode: Mode): string =>
  closingKeys.closingParts.name(partitionTag(partition), mode)
export const sellerClosingsKey = byFeed(closingKeys.sellerClosings.name)
