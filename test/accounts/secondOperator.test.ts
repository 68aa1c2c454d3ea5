import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ExceptionRules } from "../../actors/ports/exceptionRules.ts"
import { makeId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { OperatorLog } from "../../src/accounts/operatorLog.ts"
import { makeSecondOperator, type OperatorAct } from "../../src/accounts/secondOperator.ts"

const createdMillis = 1_795_219_200_000
const resourceId = makeId("txn_", createdMillis, 0, new Uint8Array(14))

const act = (operatorId: string, overrides: Partial<OperatorAct> = {}): OperatorAct => ({
  ...{ mode: "live", operatorId, askedAs: "asked", doneAs: "done", resourceType: "transaction", resourceId },
  ...{ details: { amount: 5 }, isSame: ({ amount }) => amount === 5 },
  ...overrides,
})

/** An operators' log in memory that answers a turn later, newest last, and the program on it. */
const open = (operatorApprovals = 2) =>
  Effect.gen(function* () {
    const entries: Array<AuditEntry> = []
    const add = (entry: Partial<AuditEntry>) =>
      entries.push({
        ...{ id: String(entries.length).padStart(9, "0"), action: "asked", operator_id: "ana" },
        ...{ resource_type: "transaction", resource_id: resourceId, details: { amount: 5 } },
        created_at: new Date(createdMillis).toISOString(),
        ...entry,
      })
    const log = OperatorLog.of({
      append: ({ action, operatorId, resourceType, resourceId: about, details }) =>
        Effect.map(Effect.yieldNow, () => {
          const place = add({ action, operator_id: operatorId ?? null, details }) - 1
          add({ action: "another", resource_type: resourceType, resource_id: `${about}-other` })
          return entries[place]?.id ?? ""
        }),
      list: ({ beforeId, limit }) =>
        Effect.map(Effect.yieldNow, () => {
          const older = entries.filter(({ id }) => beforeId === undefined || id < beforeId).reverse()
          const page = older.slice(0, limit)
          return { entries: page, nextBeforeId: older.length > limit ? page.at(-1)?.id : undefined }
        }),
      span: () => Effect.succeed([]),
    })
    const rules = { payoutStuckMillis: 1, operatorApprovals }
    const isAgreed = yield* makeSecondOperator.pipe(
      Effect.provide(Layer.merge(Layer.succeed(OperatorLog, log), Layer.succeed(ExceptionRules, rules))),
    )
    /** What the handlers do: the act is logged, then done. */
    const call = (operatorId: string) =>
      Effect.tap(isAgreed(act(operatorId)), (agreed) =>
        agreed
          ? log.append({
              operatorId,
              action: "done",
              resourceType: "transaction",
              resourceId,
              details: { amount: 5 },
            })
          : Effect.void,
      )
    const asks = () => entries.filter(({ action }) => action === "asked").map((entry) => entry.operator_id)
    return { isAgreed, call, add, entries, asks }
  })

describe("an act on live money under two operators", () => {
  it.effect("the first call waits, however often it is repeated, and another operator's call does it", () =>
    Effect.gen(function* () {
      const { isAgreed, asks } = yield* open()
      assert.isFalse(yield* isAgreed(act("ana")))
      assert.isFalse(yield* isAgreed(act("ana")))
      assert.isTrue(yield* isAgreed(act("rui")))
      assert.deepStrictEqual(asks(), ["ana", "ana", "rui"])
    }),
  )

  it.effect("of calls made at once, each two of different operators do the act once", () =>
    Effect.gen(function* () {
      for (const [before, atOnce, done] of [
        [[], ["ana", "rui"], 1],
        [["ana"], ["rui", "rui"], 1],
        [["ana"], ["rui", "bia"], 1],
        [["ana"], ["rui", "bia", "ana"], 2],
        [[], ["ana", "ana", "ana"], 0],
      ] as const) {
        const { call } = yield* open()
        for (const operatorId of before) yield* call(operatorId)
        const agreed = yield* Effect.forEach(atOnce, call, { concurrency: "unbounded" })
        assert.strictEqual(agreed.filter(Boolean).length, done, `${before} ${atOnce}`)
      }
    }),
  )

  it.effect("a call for something else, or after the act was done, waits again", () =>
    Effect.gen(function* () {
      const { isAgreed, add } = yield* open()
      yield* isAgreed(act("ana"))
      const other = { details: { amount: 6 }, isSame: ({ amount }: AuditEntry["details"]) => amount === 6 }
      assert.isFalse(yield* isAgreed(act("rui", other)))
      add({ action: "done", operator_id: "rui" })
      assert.isFalse(yield* isAgreed(act("rui")))
    }),
  )

  it.effect("the act needs one operator in test mode, and where one is enough", () =>
    Effect.gen(function* () {
      const two = yield* open()
      assert.isTrue(yield* two.isAgreed(act("ana", { mode: "test" })))
      const one = yield* open(1)
      assert.isTrue(yield* one.isAgreed(act("ana")))
      assert.deepStrictEqual([two.asks(), one.asks()], [[], []])
    }),
  )

  for (const [entries, isFound] of [
    // The second call is an entry itself, and the log of this test gets another beside it.
    [limits.approvalLogPagesMax * limits.pageSizeMax - 3, true],
    [limits.approvalLogPagesMax * limits.pageSizeMax - 2, false],
  ] as const) {
    it.effect(`a first call with ${entries} acts since is ${isFound ? "found" : "forgotten"}`, () =>
      Effect.gen(function* () {
        const { isAgreed, add } = yield* open()
        add({})
        for (let count = 0; count < entries; count++) add({ action: "another" })
        assert.strictEqual(yield* isAgreed(act("rui")), isFound)
      }),
    )
  }

  it.effect("the log is not read beyond the resource's creation, give or take what clocks are apart", () =>
    Effect.gen(function* () {
      for (const [earlierMillis, isFound] of [
        [limits.approvalClockSkewMillis, true],
        [limits.approvalClockSkewMillis + 1, false],
      ] as const) {
        const { isAgreed, add } = yield* open()
        add({ created_at: new Date(createdMillis - earlierMillis).toISOString() })
        assert.strictEqual(yield* isAgreed(act("rui")), isFound)
      }
    }),
  )
})
