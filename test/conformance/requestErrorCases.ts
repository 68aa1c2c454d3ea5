import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { RequestErrorStore, type StoredRequestError } from "../../actors/ports/requestErrorStore.ts"
import { limits } from "../../schema/limits.ts"
import { openShop } from "./fixtures.ts"
import { nowMillis, type StoreCase, storeCase } from "./stage.ts"

const errorAt = (atMillis: number, more: Partial<StoredRequestError> = {}): StoredRequestError => ({
  atMillis,
  requestId: `req_${atMillis}`,
  method: "POST",
  route: "/v1/transactions",
  status: 400,
  code: "validation_failed",
  param: "amount",
  message: "amount must be an integer.\nçé",
  apiKeyId: "key_01KA0000000700000000000000",
  ...more,
})

const modes: StoreCase = storeCase(
  "refused requests are listed newest first and whole, by their own seller and mode alone",
  Effect.gen(function* () {
    const store = yield* RequestErrorStore
    const { live, test } = yield* openShop()
    const { live: stranger } = yield* openShop()
    const now = yield* nowMillis
    const [first, second] = [errorAt(now - 2), errorAt(now - 1)]
    const bare = errorAt(now - 3, { status: 404, code: "resource_not_found" })
    yield* store.note(live, [first, second])
    yield* store.note(live, [{ ...bare, requestId: "late" }])
    yield* store.note(test, [bare])
    assert.deepStrictEqual(yield* store.list(live), [second, first, { ...bare, requestId: "late" }])
    assert.deepStrictEqual(yield* store.list(test), [bare])
    assert.deepStrictEqual(yield* store.list(stranger), [])
  }),
)

const bound: StoreCase = storeCase(
  "as many refused requests as the limit are kept, the newest",
  Effect.gen(function* () {
    const store = yield* RequestErrorStore
    const { test } = yield* openShop()
    const now = yield* nowMillis
    const all = Array.from({ length: limits.requestErrorsKept + 5 }, (_, i) => errorAt(now - 1_000 + i))
    for (const error of all.slice(0, 10)) yield* store.note(test, [error])
    yield* store.note(test, all.slice(10))
    assert.deepStrictEqual(yield* store.list(test), all.slice(5).toReversed())
  }),
)

const age: StoreCase = storeCase(
  "a refused request is no longer listed once it is too old, though newer ones are",
  Effect.gen(function* () {
    const store = yield* RequestErrorStore
    const { test } = yield* openShop()
    const now = yield* nowMillis
    const young = errorAt(now - limits.requestErrorsKeptMillis + 60_000)
    yield* store.note(test, [errorAt(now - limits.requestErrorsKeptMillis), young])
    assert.deepStrictEqual(yield* store.list(test), [young])
  }),
)

/** What is kept of refused requests. */
export const requestErrorCases: ReadonlyArray<StoreCase> = [modes, bound, age]
