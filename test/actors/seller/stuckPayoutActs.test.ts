import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AcquirerUnavailable, PayoutReport, SentPayout } from "../../../actors/ports/acquirer.ts"
import type { ExceptionAct } from "../../../schema/resources/exception.ts"
import { away, notPaid, paid, processing, unknown } from "../support/bank.ts"
import { onlyException, second } from "../support/exceptions.ts"
import { openPayout } from "../support/payout.ts"
import { balanceNow, withdrawalNow } from "../support/purse.ts"
import { pass } from "../support/settle.ts"
import { onStore, startMillis } from "../support/store.ts"

type Listed = SentPayout["status"] | "absent" | "silent"
type Asked = Effect.Effect<PayoutReport, AcquirerUnavailable>

const otherAmount: PayoutReport = {
  ...{ status: "otherAmount", amountThere: 1_500, endToEndId: "E-of-the-bank", returnedAmount: 0 },
}
const queries = {
  paid: Effect.succeed(paid),
  "other amount": Effect.succeed(otherAmount),
  "not paid": Effect.succeed(notPaid),
  processing: Effect.succeed(processing),
  unknown: Effect.succeed(unknown),
  silent: Effect.fail(away),
} as const satisfies Readonly<Record<string, Asked>>
type Query = keyof typeof queries

/** A payout that is stuck, and then what query and list of the bank say of it. */
const openStuck = (query: Query, list: Listed) =>
  Effect.gen(function* () {
    let says: Asked = Effect.succeed(processing)
    const ids: Array<string> = []
    let listed: Listed = "absent"
    const opened = yield* openPayout(
      {
        send: (_, { payoutId }) => {
          ids.push(payoutId)
          return Effect.succeed(processing)
        },
        query: () => Effect.suspend(() => says),
        list: () =>
          Effect.suspend(() => {
            if (listed === "silent") return Effect.fail(away)
            const status = listed
            if (status === "absent") return Effect.succeed([])
            return Effect.succeed(
              ids.map((payoutId) => ({
                ...{ payoutId, status, endToEndId: "E-of-the-list", amount: 1_000, reason: undefined },
                ...{ returnedAmount: 0, sentMillis: startMillis },
              })),
            )
          }),
      },
      { rules: { payoutStuckMillis: 100_000 } },
    )
    yield* pass(130_000)
    says = queries[query]
    listed = list
    const { id: exceptionId } = yield* onlyException
    const resolve = (
      act: ExceptionAct,
      { operatorId = "operator-1", isWithoutBank }: { operatorId?: string; isWithoutBank?: true } = {},
    ) =>
      opened.process.commands.resolveException({
        ...{ exceptionId, act, reason: `to ${act}`, sellerId: undefined, operatorId, isWithoutBank },
      })
    return { ...opened, resolve }
  })

type Expected = "done" | "paid" | "returned" | "not_paid" | "other_amount" | "silent"

/** What comes of each act, by what the query and the list say. */
const cases: ReadonlyArray<readonly [query: Query, list: Listed, fail: Expected, settle: Expected]> = [
  ["paid", "absent", "paid", "done"],
  ["other amount", "absent", "other_amount", "done"],
  ["unknown", "paid", "paid", "done"],
  ["processing", "paid", "paid", "done"],
  ["silent", "paid", "paid", "done"],
  ["not paid", "paid", "paid", "done"],
  ["unknown", "returned", "returned", "done"],
  ["paid", "silent", "paid", "done"],
  ["not paid", "absent", "done", "not_paid"],
  ["not paid", "notPaid", "done", "not_paid"],
  ["not paid", "processing", "done", "done"],
  ["unknown", "notPaid", "done", "done"],
  ["unknown", "absent", "done", "done"],
  ["processing", "processing", "done", "done"],
  ["silent", "absent", "silent", "silent"],
  ["unknown", "silent", "silent", "silent"],
]

describe("settle and fail of a payout_stuck", () => {
  for (const [query, list, fail, settle] of cases) {
    for (const [act, expected] of [["fail", fail] as const, ["settle", settle] as const]) {
      it.effect(`the query is ${query} and the list ${list}: ${act} is ${expected}`, () =>
        onStore(
          Effect.gen(function* () {
            const { resolve, id, shop } = yield* openStuck(query, list)
            if (expected === "done") {
              assert.strictEqual((yield* resolve(act)).kind, "resolved")
              const status = act === "fail" ? "failed" : "successful"
              assert.strictEqual((yield* withdrawalNow(id)).status, status)
              return
            }
            const refused = yield* Effect.flip(resolve(act))
            assert.deepInclude(refused, {
              code: expected === "silent" ? "service_unavailable" : "invalid_state",
            })
            if (expected !== "silent") {
              assert.deepInclude("details" in refused ? refused.details : {}, { bank_says: expected })
            }
            assert.strictEqual((yield* withdrawalNow(id)).status, "processing")
            assert.strictEqual((yield* balanceNow(shop.live)).pendingWithdraw, 1_100)
            assert.strictEqual((yield* onlyException).state, "open")
          }),
        ),
      )
    }
  }

  it.effect("settled by the list's word, the withdrawal has the list's end-to-end id", () =>
    onStore(
      Effect.gen(function* () {
        const { resolve, id } = yield* openStuck("unknown", "paid")
        yield* resolve("settle")
        assert.strictEqual((yield* withdrawalNow(id)).end_to_end_id, "E-of-the-list")
      }),
    ),
  )

  it.effect("without the bank's answer two operators fail it", () =>
    onStore(
      Effect.gen(function* () {
        const { resolve, id } = yield* openStuck("silent", "absent")
        const isWithoutBank = true
        assert.strictEqual((yield* resolve("fail", { isWithoutBank })).kind, "awaitingSecondOperator")
        assert.strictEqual((yield* withdrawalNow(id)).status, "processing")
        const done = yield* resolve("fail", { operatorId: second, isWithoutBank })
        assert.strictEqual(done.kind, "resolved")
        assert.strictEqual((yield* withdrawalNow(id)).status, "failed")
      }),
    ),
  )

  it.effect("nobody fails it without the bank where its list says that it was paid", () =>
    onStore(
      Effect.gen(function* () {
        const { resolve } = yield* openStuck("silent", "paid")
        const refused = yield* Effect.flip(resolve("fail", { isWithoutBank: true }))
        assert.deepInclude("details" in refused ? refused.details : {}, { bank_says: "paid" })
      }),
    ),
  )
})
