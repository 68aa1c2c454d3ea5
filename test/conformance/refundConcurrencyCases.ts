import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { CreateRefundCommit } from "../../actors/ports/refundStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { eventsOf, unique } from "./fixtures.ts"
import {
  amount,
  fromAvailable,
  fromReserve,
  gained,
  openCounter,
  refundScope,
  request,
  requestOf,
  reserved,
} from "./refunds.ts"
import { type StoreCase, storeCase } from "./stage.ts"
import { balance, balanceOf, entriesOf } from "./withdrawals.ts"

const inParallel = { concurrency: "unbounded" } as const
const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const heldBalance = {
  available: gained - reserved - fromAvailable,
  reserve: reserved - fromReserve,
  pendingRefund: amount,
}

/** Sends requests at once; returns how many of each kind there were. */
const sendAll = (commits: ReadonlyArray<CreateRefundCommit>) =>
  Effect.map(Effect.forEach(commits, request, inParallel), (answers) => answers.map(({ kind }) => kind))

const isHeldOnce = (live: Principal) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* balanceOf(live), balance(heldBalance))
    assert.strictEqual((yield* entriesOf(live)).length, 2)
    assert.strictEqual((yield* eventsOf(live)).length, 3)
  })

const underOneKey: StoreCase = storeCase(
  "of 50 concurrent refund requests under one key, one creates it and the others replay it",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const scope = refundScope()
    const commits = yield* Effect.forEach(times(50), () =>
      requestOf(counter, { idempotency: { ...scope, executionId: unique("execution") } }),
    )
    const kinds = yield* sendAll(commits)
    assert.strictEqual(kinds.filter((kind) => kind === "created").length, 1)
    assert.strictEqual(kinds.filter((kind) => kind === "replay").length, 49)
    yield* isHeldOnce(counter.live)
  }),
)

const underManyKeys: StoreCase = storeCase(
  "of 50 concurrent refund requests for a charge under different keys, one is created",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const commits = yield* Effect.forEach(times(50), () => requestOf(counter))
    const kinds = yield* sendAll(commits)
    assert.strictEqual(kinds.filter((kind) => kind === "created").length, 1)
    assert.strictEqual(kinds.filter((kind) => kind === "stale").length, 49)
    yield* isHeldOnce(counter.live)
  }),
)

/** Requests for refunds of one charge at once (`docs/contract/refunds.md#create`). */
export const refundConcurrencyCases: ReadonlyArray<StoreCase> = [underOneKey, underManyKeys]
