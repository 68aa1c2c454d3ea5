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
import { day, nobodysId } from "./healthyShop.ts"

const withdrawal =
  (name: Parameters<typeof withdrawalId>[0]): Of<string> =>
  (stage) =>
    keys.withdrawalKey(withdrawalId(name)(stage))

const inPartition =
  (status: string): Of<string> =>
  ({ shop }) =>
    keys.partitionWithdrawalsKey(keys.tagOf(shop.owner.sellerId), shop.owner.mode, status)

const dayKey: Of<string> = ({ shop }) => keys.withdrawalDayKey(shop.owner, day)

const nobody: Of<string> = ({ shop }) => nobodysId("wd_", shop.withdrawals.open)

describeDamages("a withdrawal is broken:", {
  "its hash is gone": { ...gone("withdrawal", withdrawal("done")), at: inPartition("successful") },
  "it is of another seller": {
    ...field("withdrawal", withdrawal("done"), "seller", "sel_other"),
    at: inPartition("successful"),
  },
  "it is of the other mode": {
    ...field("withdrawal", withdrawal("done"), "mode", "live"),
    at: inPartition("successful"),
  },
  "its status is another": {
    ...field("withdrawal", withdrawal("done"), "status", "failed"),
    at: inPartition("successful"),
  },
  "its document is none": field("withdrawal", withdrawal("done"), "document", "{"),
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
  "its day is none": field("withdrawal", withdrawal("done"), "day", "today"),
  "its version counts other commits than its events": field("withdrawal", withdrawal("done"), "version", "9"),
  "it names an event too few": {
    check: "withdrawal",
    key: withdrawal("done"),
    damage: async ({ redis }, name) => {
      const named = (await redis.hget(name, "events")) ?? ""
      await redis.hset(name, "events", named.slice(0, named.lastIndexOf(" ")))
    },
    says: /4 commits/,
  },
})

describeDamages("indexes of withdrawals are broken:", {
  "one is missing": {
    ...member("withdrawal", withdrawals(), "without", withdrawalId("done")),
    at: inPartition("successful"),
  },
  "one is missing where its status is": member(
    ...(["withdrawal", withdrawals("rejected"), "without", withdrawalId("rejected")] as const),
  ),
  "one is where another status is": member(
    ...(["withdrawal", withdrawals("failed"), "with", withdrawalId("rejected")] as const),
  ),
  "the partition lacks one": member(
    ...(["withdrawal", inPartition("rejected"), "without", withdrawalId("rejected")] as const),
  ),
  "the partition has one where another status is": member(
    ...(["withdrawal", inPartition("failed"), "with", withdrawalId("rejected")] as const),
  ),
  "the partition has one that is nowhere": member("withdrawal", inPartition("failed"), "with", nobody),
})

describeDamages("sums of withdrawals are broken:", {
  "the balance names none that is open": field("withdrawal", balance, "open", "", /open/),
  "the balance names one that is over": {
    check: "withdrawal",
    key: balance,
    damage: (stage, name) => stage.redis.hset(name, "open", stage.shop.withdrawals.done),
    says: /open/,
  },
  "a day's value is wrong": miscounted("withdrawal", dayKey, "value"),
  "a day's count is wrong": miscounted("withdrawal", dayKey, "count"),
})
