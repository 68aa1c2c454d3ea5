import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  checkSubscription,
  checkTypesFilter,
  eventCatalog,
  eventTypeOf,
  isSubscribable,
  parseTypesFilter,
  partiallyRefundedEventType,
  refundEventType,
  transactionEventType,
} from "../../schema/events.ts"
import { limits } from "../../schema/limits.ts"
import { refundStatuses } from "../../schema/resources/refund.ts"
import { transactionStatuses } from "../../schema/resources/transaction.ts"

const types = eventCatalog.map((entry) => entry.type)
const internal = ["transaction.created", "refund.created"]
const subscribable = types.filter((type) => !internal.includes(type) && type !== "ping")

describe("the event catalog", () => {
  it("the event catalog holds each type of the contract once, under its resource's name", () => {
    assert.strictEqual(new Set(types).size, types.length)
    const wanted = [
      ..."created paid expired failed refunded partially_refunded chargeback"
        .split(" ")
        .map((word) => `transaction.${word}`),
      ..."awaiting approved rejected processing successful failed cancelled"
        .split(" ")
        .map((word) => `withdrawal.${word}`),
      ..."created succeeded failed".split(" ").map((word) => `refund.${word}`),
      ..."updated kyc_approved kyc_rejected payout_locked webhook_endpoint_disabled"
        .split(" ")
        .map((word) => `seller.${word}`),
      "ping",
    ]
    assert.sameMembers(types, wanted)
    for (const { type, resourceType } of eventCatalog) assert.strictEqual(type.split(".")[0], resourceType)
  })

  it("the event catalog finds a type by its exact name alone", () => {
    for (const entry of eventCatalog) assert.strictEqual(eventTypeOf(entry.type), entry)
    for (const type of ["", "transaction", "transaction.*", "*", "Transaction.paid", "toString"]) {
      assert.isUndefined(eventTypeOf(type))
    }
  })

  it("the event catalog has an event for each status of a transaction, and one for a part that went back", () => {
    const named = transactionStatuses.map(transactionEventType)
    assert.sameMembers(
      [...named, partiallyRefundedEventType],
      types.filter((type) => type.startsWith("transaction.")),
    )
    assert.strictEqual(transactionEventType("pending"), "transaction.created")
  })

  it("the event catalog has an event for each status of a refund but processing", () => {
    const named = refundStatuses.map(refundEventType)
    assert.deepStrictEqual(named, ["refund.created", undefined, "refund.succeeded", "refund.failed"])
    for (const type of named) if (type !== undefined) assert.include(types, type)
  })
})

describe("subscriptions", () => {
  it("a subscription may hold every delivered type and `*`, but neither internal types nor pings", () => {
    assert.deepStrictEqual(types.filter(isSubscribable), subscribable)
    fc.assert(
      fc.property(fc.array(fc.constantFrom("*", ...subscribable)), (events) => {
        assert.isUndefined(checkSubscription(events))
      }),
    )
  })

  it("a subscription is refused at the first type that cannot be subscribed to", () => {
    const refused = fc.oneof(
      fc.constantFrom(...internal, "ping", "transaction.*", "transaction", "", " *", "**"),
      fc.string().filter((text) => text !== "*" && !subscribable.includes(text)),
    )
    const good = fc.array(fc.constantFrom("*", ...subscribable))
    fc.assert(
      fc.property(good, refused, fc.array(fc.string()), (before, bad, after) => {
        const error = checkSubscription([...before, bad, ...after])
        assert.strictEqual(error?.code, "invalid_event_type")
        assert.strictEqual(error?.status, 400)
        assert.strictEqual(error?.param, `events.${before.length}`)
      }),
    )
  })

  it("a refused subscription repeats at most 64 characters of the caller's text", () => {
    const message = checkSubscription(["x".repeat(10_000)])?.message ?? ""
    assert.include(message, `'${"x".repeat(64)}'`)
    assert.notInclude(message, "x".repeat(65))
  })
})

describe("the `types` filter", () => {
  const word = fc.stringMatching(/^[a-z_]{1,8}$/)
  const type = fc.oneof(
    fc.constantFrom(...types),
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(".")),
  )
  const family = type.map((name) => `${name.split(".")[0]}.*`)
  const names = fc.array(fc.oneof(type, family, fc.constant("*")), { minLength: 1, maxLength: 8 })

  const isMatch = (name: string, candidate: string) =>
    name === "*" || name === candidate || (name.endsWith(".*") && candidate.startsWith(name.slice(0, -1)))

  it("a `types` filter lets through what one of its names or families covers, and nothing else", () => {
    fc.assert(
      fc.property(names, fc.array(type, { minLength: 1 }), (wanted, candidates) => {
        const filter = parseTypesFilter(wanted.join(","), limits.typesFilterMax)
        const probes = [...candidates, ...wanted.filter((name) => !name.includes("*"))]
        for (const candidate of probes) {
          assert.strictEqual(
            filter?.matches(candidate),
            wanted.some((name) => isMatch(name, candidate)),
            `${wanted} on ${candidate}`,
          )
        }
      }),
    )
  })

  it("a family in a `types` filter covers its members, but neither its own name nor longer words", () => {
    const filter = parseTypesFilter("transaction.*", limits.typesFilterMax)
    assert.isTrue(filter?.matches("transaction.paid"))
    assert.isTrue(filter?.matches("transaction.to_come"))
    assert.isFalse(filter?.matches("transaction"))
    assert.isFalse(filter?.matches("transactions.paid"))
    assert.isFalse(filter?.matches("withdrawal.paid"))
  })

  it("a `types` filter ignores blanks around names", () => {
    const filter = parseTypesFilter(" transaction.paid ,\tping ", limits.typesFilterMax)
    assert.isTrue(filter?.matches("transaction.paid"))
    assert.isTrue(filter?.matches("ping"))
    assert.isFalse(filter?.matches("transaction.failed"))
  })

  it("a `types` filter with an empty name or another character is refused", () => {
    const refused = ["", " ", ",", "ping,", ",ping", "a,,b", ".", "a.", ".a", "a..b", "*.paid", "trans*"]
    for (const text of [...refused, "Ping", "ping1", "a-b", "a b", "ping;pong", "**", "ação"]) {
      assert.isUndefined(parseTypesFilter(text, limits.typesFilterMax), JSON.stringify(text))
    }
  })

  it("a `types` filter takes as many names as its limit, and not one more", () => {
    const list = (length: number) => Array.from({ length }, () => "ping").join(",")
    assert.isDefined(parseTypesFilter(list(limits.typesFilterMax), limits.typesFilterMax))
    assert.isUndefined(parseTypesFilter(list(limits.typesFilterMax + 1), limits.typesFilterMax))
  })
})

describe("names in a `types` filter", () => {
  it("a `types` filter may name any type of the catalog, internal ones too, any family of it, or all", () => {
    for (const name of [...types, "transaction.*", "withdrawal.*", "seller.*", "*"]) {
      assert.isUndefined(checkTypesFilter(name), name)
    }
    assert.isUndefined(checkTypesFilter(" transaction.created ,\tping , seller.*"))
  })

  it("a `types` filter with a name that can match nothing is refused, with the types there are", () => {
    for (const name of ["transaction", "transaction.frozen", "transactions.*", "ping.*"]) {
      const error = checkTypesFilter(`transaction.paid,${name}`)
      assert.deepInclude(error, { code: "validation_failed", param: "types", details: { types } })
      assert.include(error?.message, `'${name}' is neither`)
      for (const type of [...types, "withdrawal.*"]) assert.include(error?.message, type)
    }
    assert.isDefined(checkTypesFilter("seller.updated.*"))
  })

  it("a refused `types` filter does not repeat a name that is not in a type's form", () => {
    const secret = "a.secret.that.stands.in.the.wrong.place"
    assert.notInclude(checkTypesFilter(secret)?.message, secret)
  })
})
