import * as keys from "../../src/store/keys.ts"
import {
  balance,
  describeDamages,
  document,
  field,
  gone,
  member,
  miscounted,
  type Of,
  withdrawalId,
  withdrawals,
} from "./damages.ts"
import { day, unknownId } from "./healthyShop.ts"

const withdrawal =
  (name: Parameters<typeof withdrawalId>[0]): Of<string> =>
  (stage) =>
    keys.withdrawalKey(withdrawalId(name)(stage))

const inPartition =
  (status: string): Of<string> =>
  ({ shop }) =>
    keys.partitionWithdrawalsKey(keys.tagOf(shop.owner.sellerId), shop.owner.mode, status)

const dayKey: Of<string> = ({ shop }) => keys.withdrawalDayKey(shop.owner, day)

const unknownWithdrawal: Of<string> = ({ shop }) => unknownId("wd_", shop.withdrawals.open)

describeDamages("a withdrawal", {
  "its hash is missing": { ...gone("withdrawal", withdrawal("done")), at: inPartition("successful") },
  "it belongs to another seller": {
    ...field("withdrawal", withdrawal("done"), "seller", "sel_other"),
    at: inPartition("successful"),
  },
  "it belongs to the other mode": {
    ...field("withdrawal", withdrawal("done"), "mode", "live"),
    at: inPartition("successful"),
  },
  "its status is wrong": {
    ...field("withdrawal", withdrawal("done"), "status", "failed"),
    at: inPartition("successful"),
  },
  "its document is not JSON": field("withdrawal", withdrawal("done"), "document", "{"),
  "its document has another status": document("withdrawal", withdrawal("done"), { status: "failed" }),
  "its total is wrong": document("withdrawal", withdrawal("done"), { total: 601 }),
  "its amount is not what was held": document(
    "withdrawal",
    withdrawal("done"),
    { amount: 499, total: 599 },
    /withdrawal_held/,
  ),
  "its fee is not what was settled": document(
    "withdrawal",
    withdrawal("done"),
    { amount: 499, fee: 101 },
    /withdrawal_settled/,
  ),
  "its day is not a date": field("withdrawal", withdrawal("done"), "day", "today"),
  "its version does not match its events": field("withdrawal", withdrawal("done"), "version", "9"),
  "it names one event too few": {
    check: "withdrawal",
    key: withdrawal("done"),
    damage: async ({ redis }, name) => {
      const named = (await redis.hget(name, "events")) ?? ""
      await redis.hset(name, "events", named.slice(0, named.lastIndexOf(" ")))
    },
    says: /4 commits/,
  },
})

describeDamages("indexes of withdrawals", {
  "a withdrawal is missing from the index of all": {
    ...member("withdrawal", withdrawals(), "without", withdrawalId("done")),
    at: inPartition("successful"),
  },
  "a withdrawal is missing from its status's index": member(
    ...(["withdrawal", withdrawals("rejected"), "without", withdrawalId("rejected")] as const),
  ),
  "a withdrawal is in another status's index": member(
    ...(["withdrawal", withdrawals("failed"), "with", withdrawalId("rejected")] as const),
  ),
  "a withdrawal is missing from the partition's index": member(
    ...(["withdrawal", inPartition("rejected"), "without", withdrawalId("rejected")] as const),
  ),
  "a withdrawal is in the partition's index of another status": member(
    ...(["withdrawal", inPartition("failed"), "with", withdrawalId("rejected")] as const),
  ),
  "an unknown withdrawal is in the partition's index": member(
    "withdrawal",
    inPartition("failed"),
    "with",
    unknownWithdrawal,
  ),
})

describeDamages("sums of withdrawals", {
  "the balance omits an open withdrawal": field("withdrawal", balance, "open", "", /open/),
  "the balance names a finished withdrawal as open": {
    check: "withdrawal",
    key: balance,
    damage: (stage, name) => stage.redis.hset(name, "open", stage.shop.withdrawals.done),
    says: /open/,
  },
  "a day's value is wrong": miscounted("withdrawal", dayKey, "value"),
  "a day's count is wrong": miscounted("withdrawal", dayKey, "count"),
})
