import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { ApiError } from "../../schema/errors.ts"
import {
  checkSubscription,
  checkTypeFilter,
  isSubscribable,
  readTypesFilter,
  type TypesFilter,
} from "../../schema/eventChecks.ts"
import {
  eventCatalog,
  eventTypeOf,
  partiallyRefundedEventType,
  refundEventType,
  transactionEventType,
} from "../../schema/events.ts"
import { limits } from "../../schema/limits.ts"
import { refundStatuses } from "../../schema/resources/refund.ts"
import { transactionStatuses } from "../../schema/resources/transaction.ts"

const types: Array<string> = eventCatalog.map((entry) => entry.type)
const internal = ["transaction.created", "refund.created"]
const subscribable = types.filter((type) => !internal.includes(type) && type !== "ping")

describe("the event catalog", () => {
  it("the event catalog holds each type of the contract once, under its resource's name", () => {
    assert.strictEqual(new Set(types).size, types.length)
    const wanted = [
      ..."created paid expired failed refunded partially_refunded chargeback exception"
        .split(" ")
        .map((word) => `transaction.${word}`),
      ..."awaiting approved rejected processing successful failed cancelled returned debited"
        .split(" ")
        .map((word) => `withdrawal.${word}`),
      ..."created succeeded failed".split(" ").map((word) => `refund.${word}`),
      "exception.credited",
      "exception.debited",
      "payment_link.paid",
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

  it("the event catalog has an event for each status of a transaction, one for a part that went back and one for exceptions", () => {
    const named = transactionStatuses.map(transactionEventType)
    assert.sameMembers(
      [...named, partiallyRefundedEventType, "transaction.exception"],
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
        assert.deepStrictEqual(error?.details, { types: subscribable })
      }),
    )
  })

  it("a refused subscription repeats at most 64 characters of the caller's text", () => {
    const message = checkSubscription(["x".repeat(10_000)])?.message ?? ""
    assert.include(message, `'${"x".repeat(64)}'`)
    assert.notInclude(message, "x".repeat(65))
  })
})

const read = (text: string) => readTypesFilter(text, limits.typesFilterMax)
const readable = (text: string): TypesFilter => {
  const filter = read(text)
  if (filter instanceof ApiError) throw filter
  return filter
}

/** Asserts the answer to a filter with a name that can match nothing. */
const assertRefused = (error: unknown, param = "types") =>
  assert.deepInclude(error, { code: "validation_failed", status: 400, param, details: { types } })

describe("the `types` filter", () => {
  const families = ["transaction.*", "withdrawal.*", "refund.*", "exception.*", "seller.*"]
  const name = fc.constantFrom(...types, ...families, "*")

  const isMatch = (wanted: string, candidate: string) =>
    wanted === "*" ||
    wanted === candidate ||
    (wanted.endsWith(".*") && candidate.startsWith(wanted.slice(0, -1)))

  it("a `types` filter lets through what one of its names or families covers, and nothing else", () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), (wanted) => {
        const filter = readable(wanted.join(","))
        for (const candidate of types) {
          assert.strictEqual(
            filter.matches(candidate),
            wanted.some((one) => isMatch(one, candidate)),
            `${wanted} on ${candidate}`,
          )
        }
      }),
    )
  })

  it("a family in a `types` filter covers its members, but neither its own name nor longer words", () => {
    const filter = readable("transaction.*")
    assert.isTrue(filter.matches("transaction.paid"))
    assert.isTrue(filter.matches("transaction.to_come"))
    assert.isFalse(filter.matches("transaction"))
    assert.isFalse(filter.matches("transactions.paid"))
    assert.isFalse(filter.matches("withdrawal.paid"))
  })

  it("a `types` filter ignores blanks around names", () => {
    const filter = readable(" transaction.paid ,\tping ")
    assert.isTrue(filter.matches("transaction.paid"))
    assert.isTrue(filter.matches("ping"))
    assert.isFalse(filter.matches("transaction.failed"))
  })

  it("a `types` filter may name any type of the catalog, internal ones too, any family of it, or all", () => {
    for (const one of [...types, ...families, "*"]) assert.notInstanceOf(read(one), ApiError, one)
    assert.notInstanceOf(read(" transaction.created ,\tping , seller.*"), ApiError)
  })

  it("a `types` filter takes as many names as its limit, and not one more", () => {
    const list = (length: number) => Array.from({ length }, () => "ping").join(",")
    assert.notInstanceOf(read(list(limits.typesFilterMax)), ApiError)
    assertRefused(read(list(limits.typesFilterMax + 1)))
  })

  it("a `types` filter with a name that can match nothing is refused, with the types there are", () => {
    for (const one of ["transaction", "transaction.frozen", "transactions.*", "ping.*"]) {
      const error = read(`transaction.paid,${one}`)
      assertRefused(error)
      const { message } = error as ApiError
      assert.include(message, `'${one}' is neither`)
      for (const known of [...types, ...families]) assert.include(message, known)
    }
    assertRefused(read("seller.updated.*"))
  })

  it("a `types` filter that is not a list of names is refused, with the types there are", () => {
    const refused = ["", " ", ",", "ping,", ",ping", "a,,b", ".", "a.", ".a", "a..b", "*.paid", "trans*"]
    for (const text of [...refused, "Ping", "ping1", "a-b", "a b", "ping;ping", "**", ".*", "ação"]) {
      assertRefused(read(text))
    }
  })

  it("a refused `types` filter does not repeat a name that is not in a type's form", () => {
    const secret = "a.secret.that.stands.in.the.wrong.place"
    assert.notInclude((read(secret) as ApiError).message, secret)
  })
})

describe("a filter on one type", () => {
  it("a filter on one type takes every type of the catalog, or none", () => {
    for (const type of [undefined, ...types]) assert.isUndefined(checkTypeFilter("event_type", type))
  })

  it("a filter on one type that does not exist is refused, families too, with the types there are", () => {
    for (const type of ["transaction.payed", "transaction.*", "transaction.paid,ping", "*", ""]) {
      assertRefused(checkTypeFilter("event_type", type), "event_type")
    }
  })
})
