import { type Feed, modes } from "../../../schema/ids.ts"
import { withdrawalStatuses } from "../../../schema/resources/withdrawal.ts"
import * as keys from "../../store/keys.ts"
import { family, type KeyFamily, patternOf } from "./keyFamily.ts"

/** The key families of a seller's money in a mode: balance, ledger and withdrawals. */
export const moneyFamilies = (feed: Feed): ReadonlyArray<KeyFamily> => {
  const { sellerId, mode } = feed
  return [
    family(
      "balance",
      keys.balanceKey(feed),
      "hash",
      `the ${mode} balance in centavos by bucket, the number of its entries, and the open withdrawal`,
    ),
    family("ledger", keys.ledgerKey(feed), "stream", `every movement of the ${mode} balance`),
    family("withdrawals", keys.withdrawalsKey(sellerId, mode), "set by id", `ids of all ${mode} withdrawals`),
    ...withdrawalStatuses.map((status) =>
      family(
        "withdrawals",
        keys.withdrawalsKey(sellerId, mode, status),
        "set by id",
        `ids of the ${status} ${mode} withdrawals`,
      ),
    ),
    family(
      "withdrawal day",
      keys.withdrawalDayKey(feed, "*"),
      "hash",
      `sum and count of the ${mode} withdrawals of one day, for the daily limits`,
    ),
  ]
}

/** The key families of a partition's money, which its sellers share; `whose` names it. */
export const moneyFamiliesOfPartition = (partition: number, whose: string): ReadonlyArray<KeyFamily> => {
  const tag = keys.partitionTag(partition)
  return [
    family(
      "withdrawal",
      patternOf("wd_", partition, keys.withdrawalKey),
      "hash",
      `one withdrawal of a seller of ${whose}`,
    ),
    ...modes.flatMap((mode) =>
      withdrawalStatuses.map((status) =>
        family(
          "withdrawals of all sellers",
          keys.partitionWithdrawalsKey(tag, mode, status),
          "set by id",
          `ids of the ${status} ${mode} withdrawals of ${whose}`,
        ),
      ),
    ),
  ]
}
