import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { describeDamages, document, field, gone, ledger, member, type Of } from "./damages.ts"
import { unknownId } from "./healthyShop.ts"
import { openLiveExceptions } from "./liveExceptions.ts"

type Ids = Effect.Success<ReturnType<typeof openLiveExceptions>>

const idsOf = new WeakMap<AuditStage, Ids>()
const prepare = async (stage: AuditStage) => {
  idsOf.set(stage, await stage.runtime.runPromise(openLiveExceptions(stage.shop)))
}
const id =
  (name: keyof Ids): Of<string> =>
  (stage) =>
    idsOf.get(stage)?.[name] ?? ""
const hash =
  (name: keyof Ids): Of<string> =>
  (stage) =>
    keys.exceptionKey(id(name)(stage))
const tag =
  (name: keyof Ids): Of<string> =>
  (stage) =>
    keys.tagOf(id(name)(stage))
const index =
  (name: keyof Ids, state: "open" | "resolved"): Of<string> =>
  (stage) =>
    keys.exceptionsKey(tag(name)(stage), state)
const ofKind =
  (name: keyof Ids): Of<string> =>
  (stage) =>
    keys.exceptionsOfKindKey(tag(name)(stage), "open", "payment_unknown", "live")
const creditedOfKind: Of<string> = (stage) =>
  keys.exceptionsOfKindKey(tag("credited")(stage), "resolved", "double_payment", "test")
const facts =
  (name: keyof Ids): Of<string> =>
  (stage) =>
    keys.exceptionFactsKey(tag(name)(stage))
const ownersFacts: Of<string> = ({ shop }) => keys.exceptionFactsKey(keys.tagOf(shop.owner.sellerId))
const withdrawal =
  (name: "done" | "today" | "rejected"): Of<string> =>
  ({ shop }) =>
    keys.withdrawalKey(shop.withdrawals[name])

describeDamages(
  "an exception",
  {
    "its hash is missing": gone("exception", hash("open")),
    "its document is not JSON": field("exception", hash("open"), "document", "{"),
    "its document is of another kind": document("exception", hash("open"), { kind: "payout_unknown" }),
    "its state is wrong": field("exception", hash("open"), "state", "resolved"),
    "its mode is wrong": field("exception", hash("open"), "mode", "test"),
    "its document names another seller": document("exception", hash("credited"), { seller_id: "sel_other" }),
    "it is open with an act": document("exception", hash("open"), { act: "dismiss" }, /act that fit open/),
    "it is resolved without a time": document("exception", hash("debited"), { resolved_at: null }),
    "an act is under way though it is resolved": field("exception", hash("debited"), "pending", "{}"),
    "its state's index lacks it": member("exception", index("open", "open"), "without", id("open")),
    "another state's index has it": member(
      "exception",
      index("open", "resolved"),
      "with",
      id("open"),
      index("open", "resolved"),
    ),
    "the index of its kind lacks it": member("exception", ofKind("open"), "without", id("open")),
    "the index of another kind has it": {
      check: "exception",
      key: (stage) => keys.exceptionsOfKindKey(tag("open")(stage), "open", "payout_unknown", "live"),
      damage: (stage, key) => stage.redis.zadd(key, 0, id("open")(stage)),
      at: index("open", "open"),
    },
    "an index has an unknown exception": {
      check: "exception",
      key: index("open", "open"),
      damage: (stage, key) => stage.redis.zadd(key, 0, unknownId("exc_", id("open")(stage))),
      at: (stage) => keys.exceptionKey(unknownId("exc_", id("open")(stage))),
    },
    "its fact is missing": {
      check: "exception",
      key: facts("open"),
      damage: ({ redis }, key) => redis.hdel(key, "payment_unknown:E-open"),
    },
    "its fact is another exception's": field("exception", facts("open"), "payment_unknown:E-open", "exc_1"),
  },
  prepare,
)

describeDamages(
  "the money of exceptions",
  {
    "a credit is of another amount": document("exception", hash("credited"), { amount: 901 }, /900/),
    "a credit's exception was dismissed": document("exception", hash("credited"), { act: "dismiss" }),
    "a credit's entry is not noted": {
      check: "exception",
      key: hash("credited"),
      damage: ({ redis }, key) => redis.hdel(key, "movement"),
    },
    "a credit's exception is gone": {
      check: "exception",
      key: hash("credited"),
      also: [index("credited", "resolved"), creditedOfKind],
      damage: async (stage, key) => {
        await stage.redis.del(key)
        for (const holder of [index("credited", "resolved"), creditedOfKind]) {
          await stage.redis.zrem(holder(stage), id("credited")(stage))
        }
      },
      says: /credited by entry/,
    },
    "the fact of a credit in another partition is missing": {
      check: "exception",
      key: ownersFacts,
      damage: (stage, key) => stage.redis.hdel(key, `credited:${id("unknown")(stage)}`),
      at: hash("unknown"),
    },
    "a debit is noted with another entry": field("exception", hash("debited"), "movement", "1-1", /1-1/),
    "a return is noted with an entry of another kind": {
      check: "exception",
      key: hash("returned"),
      damage: async (stage, key) => {
        const [first] = await stage.redis.xrange(ledger(stage), "-", "+", "COUNT", 1)
        await stage.redis.hset(key, "movement", first?.[0] ?? "")
      },
      says: /payout_returned/,
    },
    "a withdrawal that was debited does not say so": document("withdrawal", withdrawal("rejected"), {
      debited_amount: undefined,
    }),
    "a withdrawal says that less was debited": document(
      ...(["withdrawal", withdrawal("rejected"), { debited_amount: 499 }, /debited_amount -500/] as const),
    ),
    "a withdrawal says that less came back": document(
      ...(["withdrawal", withdrawal("done"), { returned_amount: 199 }, /debited_amount 200/] as const),
    ),
    "a withdrawal does not say that anything came back": document(
      ...(["withdrawal", withdrawal("done"), { returned_amount: 0 }, /debited_amount 200/] as const),
    ),
    "a withdrawal does not say that what came back was debited again": document(
      ...(["withdrawal", withdrawal("today"), { returned_amount: 200 }, /debited_amount 0/] as const),
    ),
    "a withdrawal says that more came back, and was debited again, than did": document(
      ...([
        "withdrawal",
        withdrawal("today"),
        { returned_amount: 201, debited_amount: 201 },
        /of which 200/,
      ] as const),
    ),
  },
  prepare,
)

describe("an act on an exception that is under way", () => {
  it("an act's missing timer is found, and repaired to be due at once", async () => {
    const stage = await startAuditStage()
    try {
      await prepare(stage)
      await stage.verify()
      const queue = keys.timersKey(tag("refunding")(stage))
      const timer = `${id("refunding")(stage)}:resolve`
      expect(await stage.redis.zrem(queue, timer)).toBe(1)
      const { check, key, expected } = await stage.difference()
      expect([check, key]).toEqual(["exception", queue])
      expect(expected).toContain(`timer ${timer} `)
      const { timers } = await stage.runtime.runPromise(Effect.flatMap(RedisClient, repairAll))
      expect(timers).toEqual([timer])
      await stage.verify()
      expect(Number(await stage.redis.zscore(queue, timer))).toBeLessThanOrEqual(Date.now())
    } finally {
      await stage.stop()
    }
  })
})
