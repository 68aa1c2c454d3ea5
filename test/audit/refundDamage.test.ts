import * as keys from "../../src/store/keys.ts"
import {
  balance,
  chargeId,
  describeDamages,
  document,
  field,
  gone,
  ledger,
  member,
  miscounted,
  type Of,
  refundId,
  refunds,
} from "./damages.ts"
import { unknownId } from "./healthyShop.ts"

const refund =
  (name: Parameters<typeof refundId>[0]): Of<string> =>
  (stage) =>
    keys.refundKey(refundId(name)(stage))

const charge: Of<string> = (stage) => keys.transactionKey(chargeId("returning")(stage))
const ofCharge: Of<string> = (stage) => keys.refundsOfKey(chargeId("returning")(stage))
const unknownRefund: Of<string> = ({ shop }) => unknownId("rfd_", shop.refunds.done)

describeDamages("a refund", {
  "its hash is missing": { ...gone("refund", refund("failed")), at: ofCharge },
  "it belongs to another seller": {
    ...field("refund", refund("done"), "seller", "sel_other"),
    at: ofCharge,
  },
  "it belongs to the other mode": { ...field("refund", refund("done"), "mode", "live"), at: ofCharge },
  "it is of another charge": {
    check: "refund",
    key: refund("failed"),
    damage: (stage, name) => stage.redis.hset(name, "transaction", stage.shop.charges.held),
    at: ofCharge,
  },
  "its status is wrong": { ...field("refund", refund("failed"), "status", "pending"), at: refunds("failed") },
  "its document is not JSON": { ...field("refund", refund("failed"), "document", "{") },
  "its document names another charge": document("refund", refund("failed"), { transaction_id: "txn_1" }),
  "it has ended without a time": document("refund", refund("failed"), { completed_at: null }, /completed_at/),
  "it is under way with a time of its end": document(
    "refund",
    refund("pending"),
    { completed_at: "2026-11-21T12:00:00.000Z" },
    /completed_at/,
  ),
  "its amount is not what was held": document("refund", refund("failed"), { amount: 501 }, /refund_held/),
  "it names too few events": field("refund", refund("failed"), "events", ""),
  "more came from the reserve than it holds": field("refund", refund("failed"), "held_from_reserve", "501"),
  "less came from the reserve than the ledger says": field(
    "refund",
    refund("failed"),
    "held_from_reserve",
    "499",
    /refund_held/,
  ),
  "one that began at the acquirer has a hold": field("refund", refund("booked"), "held_from_reserve", "1"),
})

describeDamages("a charge's refunds", {
  "its refunding is too much": { ...miscounted("refund", charge, "refunding") },
  "its refunding is missing": {
    check: "refund",
    key: charge,
    damage: ({ redis }, name) => redis.hdel(name, "refunding"),
    says: /refunding 1100/,
  },
  "its index lacks a refund that succeeded": member("refund", ofCharge, "without", refundId("done"), charge),
  "its index lacks a refund under way": member("refund", ofCharge, "without", refundId("processing"), charge),
  "its index lacks a refund that failed": {
    ...member("refund", ofCharge, "without", refundId("failed")),
  },
  "its index has an unknown refund": member("refund", ofCharge, "with", unknownRefund),
  "it does not list a refund that succeeded": {
    check: "refund",
    key: charge,
    damage: async ({ redis }, name) => {
      const before = JSON.parse((await redis.hget(name, "document")) ?? "{}")
      const [first] = before.refunds
      const after = { ...before, refunds: before.refunds.slice(1) }
      after.refunded_amount -= first.amount
      await redis.hset(name, "document", JSON.stringify(after))
    },
    says: /refunds rfd_/,
  },
  "it lists its refunds in another order than the ledger": {
    check: "charge",
    key: charge,
    damage: async ({ redis }, name) => {
      const before = JSON.parse((await redis.hget(name, "document")) ?? "{}")
      await redis.hset(name, "document", JSON.stringify({ ...before, refunds: before.refunds.toReversed() }))
    },
  },
  "its reserve is not what its refunds left": {
    check: "charge",
    key: charge,
    damage: async ({ redis }, name) => {
      const before = JSON.parse((await redis.hget(name, "document")) ?? "{}")
      const reserve = { ...before.reserve, amount: before.reserve.amount + 1 }
      await redis.hset(name, "document", JSON.stringify({ ...before, reserve }))
    },
    says: /reserve/,
  },
})

describeDamages("indexes and money of refunds", {
  "a refund is missing from the index of all": {
    ...member("ledger", refunds(), "without", refundId("done")),
  },
  "a refund is missing from its status's index": member(
    ...(["refund", refunds("failed"), "without", refundId("failed")] as const),
  ),
  "a refund is in another status's index": member(
    ...(["refund", refunds("pending"), "with", refundId("failed")] as const),
  ),
  "the balance holds another amount for refunds": miscounted("balance", balance, "pending_refund"),
  "an entry's balance omits what is held for refunds": {
    check: "ledger",
    key: ledger,
    damage: (stage, name) =>
      stage.rewrite(name, (values) =>
        values.map((value) => value.replace(/^(available:.*) pending_refund:[1-9]\d*$/, "$1")),
      ),
    says: /pending_refund/,
  },
})
