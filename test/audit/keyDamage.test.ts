import * as keys from "../../src/store/keys.ts"
import {
  chargeId,
  describeDamages,
  entry,
  events,
  feed,
  field,
  gone,
  member,
  miscounted,
  type Of,
  pixKeyId,
  pixKeys,
  withdrawalId,
} from "./damages.ts"
import { unknownId } from "./healthyShop.ts"

const pixKey =
  (name: Parameters<typeof pixKeyId>[0]): Of<string> =>
  (stage) =>
    keys.pixKeyKey(pixKeyId(name)(stage))

const inPartition =
  (status: string): Of<string> =>
  ({ shop }) =>
    keys.partitionPixKeysKey(keys.tagOf(shop.owner.sellerId), shop.owner.mode, status)

const values: Of<string> = ({ shop }) => keys.pixKeyValuesKey(shop.owner)
const apiKeys: Of<string> = ({ shop }) => keys.apiKeysKey(shop.owner.sellerId, shop.owner.mode)
const apiKey: Of<string> = ({ shop }) =>
  keys.apiKeyKey(keys.partitionOf(shop.owner.sellerId), shop.owner.keyHash)
const charge: Of<string> = (stage) => keys.transactionKey(chargeId("pending")(stage))

describeDamages("a feed", {
  "its hash has another seq": miscounted("feed", feed, "seq"),
  "its hash has another newest entry": field("feed", feed, "last", "1-1"),
  "its hash is missing": gone("feed", feed),
  "an event is missing": {
    ...entry("charge", events, 1, undefined),
    at: (stage) => keys.transactionKey(stage.shop.charges.expired),
  },
  "the newest event is missing": {
    check: "refund",
    key: events,
    damage: async ({ redis }, name) => {
      const [newest] = await redis.xrevrange(name, "+", "-", "COUNT", 1)
      await redis.xdel(name, newest?.[0] ?? "")
    },
    at: (stage) => keys.refundKey(stage.shop.refunds.pending),
  },
  "a seq is repeated": entry("feed", events, 3, { seq: "3" }),
  "an event belongs to another charge": entry("charge", events, 0, { resource: chargeId("failed") }, charge),
  "an event has another type": entry("charge", events, 0, { type: "transaction.paid" }, charge),
  "a withdrawal's event has another type": {
    check: "withdrawal",
    key: events,
    damage: (stage, name) =>
      stage.rewrite(name, (values) =>
        values[5] === withdrawalId("done")(stage) && values[3] === "withdrawal.processing"
          ? values.with(3, "withdrawal.lost")
          : values,
      ),
    at: (stage) => keys.withdrawalKey(withdrawalId("done")(stage)),
  },
  "an event is in the feed but not in its charge": {
    check: "feed",
    key: events,
    also: [feed],
    damage: async (stage, name) => {
      const seq = Number(await stage.redis.hget(feed(stage), "seq")) + 1
      const values = ["seq", seq, "type", "transaction.paid", "resource", chargeId("pending")(stage)]
      const last = await stage.redis.xadd(name, "*", ...values, "internal", "0", "data", "{}")
      await stage.redis.hset(feed(stage), { seq, last })
    },
    at: charge,
  },
})

describeDamages("a PIX key", {
  "its hash is missing": { ...gone("pix_key", pixKey("pending")), at: inPartition("pending_approval") },
  "it belongs to the other mode": {
    ...field("pix_key", pixKey("pending"), "mode", "live"),
    at: inPartition("pending_approval"),
  },
  "its status is wrong": {
    ...field("pix_key", pixKey("pending"), "status", "refused"),
    at: inPartition("pending_approval"),
  },
  "its type is unknown": field("pix_key", pixKey("pending"), "type", "iban"),
  "it is verified without a time": field("pix_key", pixKey("verified"), "verified_at", ""),
  "its value has another hash": {
    ...field("pix_key", pixKey("verified"), "value_hash", "other"),
    at: values,
  },
  "it is missing from the index of all": {
    ...member("pix_key", pixKeys(), "without", pixKeyId("refused")),
    at: inPartition("refused"),
  },
  "it is missing from its status's index": member(
    "pix_key",
    pixKeys("refused"),
    "without",
    pixKeyId("refused"),
  ),
  "it is in another status's index": member("pix_key", pixKeys("removed"), "with", pixKeyId("refused")),
  "it is missing from the partition's index": member(
    ...(["pix_key", inPartition("refused"), "without", pixKeyId("refused")] as const),
  ),
  "it is in the partition's index of another status": member(
    ...(["pix_key", inPartition("removed"), "with", pixKeyId("refused")] as const),
  ),
  "its value is held by no PIX key": gone("pix_key", values),
  "a value is held by a refused PIX key": {
    check: "pix_key",
    key: values,
    damage: async (stage, name) => {
      const refused = pixKeyId("refused")(stage)
      const value = (await stage.redis.hget(keys.pixKeyKey(refused), "value_hash")) ?? ""
      await stage.redis.hset(name, value, refused)
    },
  },
  "a value is held by a PIX key that the seller does not have": {
    check: "pix_key",
    key: values,
    damage: (stage, name) => stage.redis.hset(name, "value", unknownId("pk_", stage.shop.pixKeys.pending)),
  },
})

describeDamages("a seller", {
  "its record is missing": {
    check: "seller",
    key: ({ shop }) => keys.sellerKey(shop.owner.sellerId),
    damage: ({ redis }, name) => redis.del(name),
  },
  "an API key's record is missing": { ...gone("api_key", apiKey), at: apiKeys },
  "an API key belongs to another seller": { ...field("api_key", apiKey, "seller", "sel_other"), at: apiKeys },
  "an API key belongs to the other mode": { ...field("api_key", apiKey, "mode", "live"), at: apiKeys },
  "an API key has another id": { ...field("api_key", apiKey, "id", "key_other"), at: apiKeys },
})
