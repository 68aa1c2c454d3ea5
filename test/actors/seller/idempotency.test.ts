import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CreateAnswer } from "../../../actors/seller/createAnswer.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import { startProcess } from "../support/process.ts"
import { pass } from "../support/settle.ts"
import { eventsOf, openShop, requestCharge } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const open = Effect.gen(function* () {
  const shop = yield* openShop()
  const process = yield* startProcess()
  return { shop, process }
})

/** The replay of an answer. */
const replayOf = (answer: CreateAnswer) => ({ ...answer, kind: "replay" })

describe("a request under an Idempotency-Key", () => {
  it.effect("a request is executed once per Idempotency-Key; every process replays the same bytes", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const other = yield* startProcess()
        const first = yield* requestCharge(process, shop.test, { key: "order-1" })
        yield* pass(10_000)

        assert.deepInclude(first, { kind: "answered", status: 201 })
        assert.deepStrictEqual(yield* requestCharge(process, shop.test, { key: "order-1" }), replayOf(first))
        assert.deepStrictEqual(yield* requestCharge(other, shop.test, { key: "order-1" }), replayOf(first))
        const created = (yield* eventsOf(shop.test)).filter(({ type }) => type === "transaction.created")
        assert.strictEqual(created.length, 1)
      }),
    ),
  )

  it.effect("a request sent many times at once under one Idempotency-Key is executed once", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const other = yield* startProcess()
        const answers = yield* Effect.forEach(
          Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? process : other)),
          (at) => requestCharge(at, shop.test, { key: "order-1" }),
          { concurrency: "unbounded" },
        )

        assert.strictEqual(answers.filter(({ kind }) => kind === "answered").length, 1)
        assert.strictEqual(answers.filter(({ kind }) => kind === "replay").length, 39)
        assert.strictEqual(new Set(answers.map((answer) => ("body" in answer ? answer.body : ""))).size, 1)
        assert.strictEqual((yield* eventsOf(shop.test)).length, 1)
      }),
    ),
  )

  it.effect("an Idempotency-Key with another body is a mismatch", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        yield* requestCharge(process, shop.test, { key: "order-1" })
        const other = yield* requestCharge(process, shop.test, {
          key: "order-1",
          fingerprint: "of another body",
        })

        assert.deepStrictEqual(other, { kind: "mismatch" })
        assert.strictEqual((yield* eventsOf(shop.test)).length, 1)
      }),
    ),
  )

  it.effect("an Idempotency-Key is independent of the same one in the other mode or of another seller", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const stranger = yield* openShop()
        const owners = [shop.test, shop.live, stranger.test]
        const answers = yield* Effect.forEach(owners, (owner) =>
          requestCharge(process, owner, { key: "order-1" }),
        )

        assert.deepStrictEqual(
          answers.map(({ kind }) => kind),
          ["answered", "answered", "answered"],
        )
      }),
    ),
  )

  it.effect("an acquirer's refusal is saved under its Idempotency-Key, its request_id included", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* open
        const body = { amount: 103 }
        const first = yield* requestCharge(process, shop.test, {
          key: "order-1",
          body,
          requestId: "req_first",
        })
        const again = yield* requestCharge(process, shop.test, {
          key: "order-1",
          body,
          requestId: "req_again",
        })
        const anew = yield* requestCharge(process, shop.test, { key: "order-2", body, requestId: "req_anew" })

        assert.deepInclude(first, { kind: "answered", status: 502 })
        assert.deepStrictEqual(again, replayOf(first))
        const requestIdOf = (answer: CreateAnswer) =>
          "body" in answer ? JSON.parse(answer.body).error.request_id : ""
        assert.deepStrictEqual([first, again, anew].map(requestIdOf), ["req_first", "req_first", "req_anew"])
        assert.strictEqual(anew.kind, "answered")
      }),
    ),
  )

  it.effect("an Idempotency-Key is remembered for a day", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const early = yield* startProcess()
        const first = yield* requestCharge(early, shop.test, { key: "order-1" })
        yield* early.kill
        yield* pass(limits.idempotencyRetentionMillis - 1)
        const process = yield* startProcess()
        assert.deepStrictEqual(yield* requestCharge(process, shop.test, { key: "order-1" }), replayOf(first))
        yield* pass(1)

        assert.strictEqual((yield* requestCharge(process, shop.test, { key: "order-1" })).kind, "answered")
      }),
    ),
  )
})

describe("a request that the store does not confirm", () => {
  it.effect("a request whose commit is not confirmed fails; its repetition replays what was written", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const { shop, process } = yield* open
        faults.answersLost.add("createTransaction")
        const lost = yield* Effect.flip(requestCharge(process, shop.test, { key: "order-1" }))
        faults.answersLost.clear()
        const again = yield* requestCharge(process, shop.test, { key: "order-1" })

        assert.instanceOf(lost, StoreUnavailable)
        assert.deepInclude(again, { kind: "replay", status: 201 })
        assert.strictEqual((yield* eventsOf(shop.test)).length, 1)
      }),
    ),
  )

  it.effect("a request made while the store is away writes nothing and can be sent again", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const { shop, process } = yield* open
        for (const amount of [1_000, 103]) {
          const request = { key: `order of ${amount}`, body: { amount } }
          for (const operation of ["createTransaction", "saveAnswer"]) faults.away.add(operation)
          assert.instanceOf(yield* Effect.flip(requestCharge(process, shop.test, request)), StoreUnavailable)
          faults.away.clear()

          assert.strictEqual((yield* requestCharge(process, shop.test, request)).kind, "answered")
        }
        assert.strictEqual((yield* eventsOf(shop.test)).length, 1)
      }),
    ),
  )
})
