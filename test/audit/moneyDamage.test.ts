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
import { unknownId } from "./healthyShop.ts"

const at = "2026-11-21T00:00:00.000Z"

const charge =
  (name: Parameters<typeof chargeId>[0]): Of<string> =>
  (stage) =>
    keys.transactionKey(chargeId(name)(stage))

const unknownCharge: Of<string> = ({ shop }) => unknownId("txn_", shop.charges.held)

describeDamages("a ledger", {
  "an entry is missing": entry("ledger", ledger, 3, undefined),
  "the first entry is missing": entry("ledger", ledger, 0, undefined),
  "the newest entry is missing": { ...entry("balance", ledger, 30, undefined), at: balance },
  "a seq is wrong": entry("ledger", ledger, 3, { seq: "9" }),
  "a kind is unknown": entry("ledger", ledger, 3, { kind: "charge_lost" }),
  "a resource type is wrong": entry("ledger", ledger, 3, { resource_type: "withdrawal" }),
  "a resource id is malformed": entry("ledger", ledger, 3, { resource: "txn_1" }),
  "an entry names a charge that is in no index": entry(
    "ledger",
    ledger,
    0,
    { resource: unknownCharge },
    charges(),
  ),
  "an entry names another charge": entry(
    "charge",
    ledger,
    0,
    { resource: chargeId("pending") },
    charge("pending"),
  ),
  "an entry has another kind": entry("charge", ledger, 0, { kind: "charge_refunded" }, charge("held")),
  "an entry names an event that is not the charge's": entry(
    "charge",
    ledger,
    0,
    { event: "1-1" },
    charge("held"),
  ),
  "an entry names no event": entry("charge", ledger, 0, { event: "" }, charge("held")),
  "a movement without an event names one": entry("charge", ledger, 2, { event: "1-1" }, charge("partly")),
  "postings do not sum to zero": entry("ledger", ledger, 0, {
    postings: "external:-10000 fees:109 available:8902 reserve:988",
  }),
  "postings name a bucket twice": entry("ledger", ledger, 0, { postings: "external:-10 external:10" }),
  "a posting names an unknown bucket": entry("ledger", ledger, 0, { postings: "external:-10 gifts:10" }),
  "an entry's balance is not what it left": entry("ledger", ledger, 0, {
    balance: "available:1 reserve:0 pending_withdraw:0",
  }),
  "an entry has the wrong fields": {
    check: "ledger",
    key: ledger,
    damage: ({ redis }, name) => redis.xadd(name, "*", "seq", "24"),
  },
})

const counters = ["entries", "credits", "debits", "reserve_entries", "withdrawal_entries"]
describeDamages("a balance", {
  ...Object.fromEntries(
    [...buckets, ...counters].map((name) => [`${name} is wrong`, miscounted("balance", balance, name)]),
  ),
  "its hash is missing": gone("balance", balance),
  "a bucket is not a number": field("balance", balance, "available", "much"),
})

describeDamages("a charge", {
  "its hash is missing": gone("charge", charge("pending")),
  "it belongs to another seller": field("charge", charge("pending"), "seller", "sel_other"),
  "it belongs to the other mode": field("charge", charge("pending"), "mode", "live"),
  "its status is unknown": field("charge", charge("pending"), "status", "lost"),
  "its status is wrong": {
    ...field("charge", charge("pending"), "status", "expired"),
    at: charges("pending"),
  },
  "its document is not JSON": field("charge", charge("pending"), "document", "{"),
  "its document has another id": document("charge", charge("pending"), { id: "txn_1" }),
  "its document has the other mode": document("charge", charge("pending"), { mode: "live" }),
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
  "it says that its reserve was released, but it was not": document(
    "charge",
    charge("held"),
    { reserve: { amount: 989, release_at: at, released_at: at } },
    /reserve/,
  ),
  "its refunds do not sum to its refunded amount": document("charge", charge("partly"), {
    refunded_amount: 301,
  }),
  "a refund moved no money": document(
    "refund",
    charge("held"),
    {
      refunded_amount: 1,
      refunds: [{ id: "r", kind: "refund", amount: 1, return_id: null, created_at: at }],
    },
    /refund/,
  ),
  "a refund moved more than it says": document(
    "refund",
    charge("partly"),
    {
      refunded_amount: 299,
      refunds: [{ id: "r", kind: "refund", amount: 299, return_id: null, created_at: at }],
    },
    /refunds rfd_/,
  ),
  "a refund is recorded as a chargeback": document(
    "refund",
    charge("partly"),
    { refunds: [{ id: "r", kind: "chargeback", amount: 300, return_id: null, created_at: at }] },
    /refunds rfd_/,
  ),
  "it was fully refunded but lists no refund": document("charge", charge("refunded"), {
    refunds: [],
    refunded_amount: 0,
  }),
})

describeDamages("indexes of charges", {
  "a charge that moved money is missing from the index of all": {
    ...member("ledger", charges(), "without", chargeId("held")),
    says: /in it/,
  },
  "a charge that moved no money is missing from the index of all": member(
    "charge",
    charges(),
    "without",
    chargeId("pending"),
  ),
  "a charge is missing from its status's index": member(
    "charge",
    charges("failed"),
    "without",
    chargeId("failed"),
  ),
  "a charge is in another status's index": member("charge", charges("failed"), "with", chargeId("expired")),
  "an unknown charge is in a status's index alone": member(
    ...(["charge", charges("refunded"), "with", unknownCharge, charges()] as const),
  ),
  "an unknown charge is in the index of all": member("charge", charges(), "with", unknownCharge, (stage) =>
    keys.transactionKey(unknownCharge(stage)),
  ),
})
