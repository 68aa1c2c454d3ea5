import { buckets } from "../../schema/resources/ledger.ts"
import * as keys from "../../src/store/keys.ts"
import {
  balance,
  chargeId,
  charges,
  describeDamages,
  document,
  entry,
  field,
  gone,
  ledger,
  member,
  miscounted,
  type Of,
} from "./damages.ts"
import { nobodysId } from "./healthyShop.ts"

const at = "2026-11-21T00:00:00.000Z"

const charge =
  (name: Parameters<typeof chargeId>[0]): Of<string> =>
  (stage) =>
    keys.transactionKey(chargeId(name)(stage))

const nobody: Of<string> = ({ shop }) => nobodysId("txn_", shop.charges.held)

describeDamages("the ledger is broken:", {
  "an entry is gone": entry("ledger", ledger, 3, undefined),
  "the first entry is gone": entry("ledger", ledger, 0, undefined),
  "the newest entry is gone": { ...entry("balance", ledger, 22, undefined), at: balance },
  "a seq is wrong": entry("ledger", ledger, 3, { seq: "9" }),
  "a kind is none": entry("ledger", ledger, 3, { kind: "charge_lost" }),
  "a resource's type is another": entry("ledger", ledger, 3, { resource_type: "withdrawal" }),
  "a resource has no id": entry("ledger", ledger, 3, { resource: "txn_1" }),
  "a charge is in no index": entry("ledger", ledger, 0, { resource: nobody }, charges()),
  "a charge is another": entry("charge", ledger, 0, { resource: chargeId("pending") }, charge("pending")),
  "a kind is another": entry("charge", ledger, 0, { kind: "charge_refunded" }, charge("held")),
  "an event is none of the charge's": entry("charge", ledger, 0, { event: "1-1" }, charge("held")),
  "an event is missing": entry("charge", ledger, 0, { event: "" }, charge("held")),
  "a silent movement has an event": entry("charge", ledger, 2, { event: "1-1" }, charge("partly")),
  "postings do not sum to zero": entry("ledger", ledger, 0, {
    postings: "external:-10000 fees:109 available:8902 reserve:988",
  }),
  "a posting names a bucket twice": entry("ledger", ledger, 0, { postings: "external:-10 external:10" }),
  "a posting names no bucket": entry("ledger", ledger, 0, { postings: "external:-10 gifts:10" }),
  "an entry left something else than it says": entry("ledger", ledger, 0, {
    balance: "available:1 reserve:0 pending_withdraw:0",
  }),
  "an entry has other fields": {
    check: "ledger",
    key: ledger,
    damage: ({ redis }, name) => redis.xadd(name, "*", "seq", "24"),
  },
})

const counters = ["entries", "credits", "debits", "reserve_entries", "withdrawal_entries"]
describeDamages("a balance is not what its ledger comes to:", {
  ...Object.fromEntries(
    [...buckets, ...counters].map((name) => [name, miscounted("balance", balance, name)]),
  ),
  "all of it is gone": gone("balance", balance),
  "a bucket is no number": field("balance", balance, "available", "much"),
})

describeDamages("a charge is broken:", {
  "its hash is gone": gone("charge", charge("pending")),
  "it is of another seller": field("charge", charge("pending"), "seller", "sel_other"),
  "it is of the other mode": field("charge", charge("pending"), "mode", "live"),
  "its status is none": field("charge", charge("pending"), "status", "lost"),
  "its status is another": {
    ...field("charge", charge("pending"), "status", "expired"),
    at: charges("pending"),
  },
  "its document is none": field("charge", charge("pending"), "document", "{"),
  "its document is another's": document("charge", charge("pending"), { id: "txn_1" }),
  "its document is of the other mode": document("charge", charge("pending"), { mode: "live" }),
  "its document has another status": document("charge", charge("pending"), { status: "paid", paid_at: at }),
  "its document lacks the time of its status": document("charge", charge("held"), { paid_at: null }),
  "its document has the time of a status it never had": document("charge", charge("pending"), {
    paid_at: at,
  }),
  "its net amount is wrong": document("charge", charge("pending"), { net_amount: 1 }, /net_amount/),
  "its amount is not what was paid": document(
    "charge",
    charge("held"),
    { amount: 10_001, net_amount: 9_892 },
    /charge_paid/,
  ),
  "its fee is not what was paid": document("charge", charge("held"), { fee: 0, net_amount: 10_000 }),
  "its reserve is not what is held": document("charge", charge("held"), { reserve: null }, /reserve/),
  "its reserve was not released, and it says so": document(
    "charge",
    charge("held"),
    { reserve: { amount: 989, release_at: at, released_at: at } },
    /reserve/,
  ),
  "its refunds do not sum to what it says": document("charge", charge("partly"), { refunded_amount: 301 }),
  "a refund moved no money": document(
    "charge",
    charge("held"),
    { refunded_amount: 1, refunds: [{ id: "r", kind: "refund", amount: 1, created_at: at }] },
    /refund/,
  ),
  "a refund moved more than it says": document(
    "charge",
    charge("partly"),
    { refunded_amount: 299, refunds: [{ id: "r", kind: "refund", amount: 299, created_at: at }] },
    /charge_partially_refunded/,
  ),
  "a refund was a chargeback": document(
    "charge",
    charge("partly"),
    { refunds: [{ id: "r", kind: "chargeback", amount: 300, created_at: at }] },
    /charge_partial_chargeback/,
  ),
  "it was refunded whole and tells of nothing": document("charge", charge("refunded"), {
    refunds: [],
    refunded_amount: 0,
  }),
})

describeDamages("indexes of charges are broken:", {
  "one is missing": {
    ...member("ledger", charges(), "without", chargeId("held")),
    says: /in it/,
  },
  "one that moved no money is missing": member("charge", charges(), "without", chargeId("pending")),
  "one is missing where its status is": member("charge", charges("failed"), "without", chargeId("failed")),
  "one is where another status is": member("charge", charges("failed"), "with", chargeId("expired")),
  "one that is not in all is where its status is": member(
    ...(["charge", charges("refunded"), "with", nobody, charges()] as const),
  ),
  "one is nowhere": member("charge", charges(), "with", nobody, (stage) =>
    keys.transactionKey(nobody(stage)),
  ),
})
