import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Acquirer } from "../../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import { SweepStore } from "../../../actors/ports/sweepStore.ts"
import { exceptionOfNobody } from "../../../actors/seller/decisions/exceptionDocument.ts"
import type { ManualEnd } from "../../../actors/seller/decisions/manualPayouts.ts"
import { limits } from "../../../schema/limits.ts"
import { silentAcquirer } from "../support/acquirer.ts"
import { makeBank } from "../support/bank.ts"
import { automatic } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf, withdraw, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore, startMillis } from "../support/store.ts"

const first = "E12345678202611201230abcdefghi01"
const second = "E12345678202611201231abcdefghi02"
const settledBy = (endToEndId = first): ManualEnd => ({ act: "settle", endToEndId })
const unpaid: ManualEnd = { act: "fail", reason: "The bank refused the key" }

const noPage = { items: [], next: undefined }
const books = { listReceived: () => Effect.succeed(noPage), listSent: () => Effect.succeed(noPage) }

/** A process whose live account has no payouts by API, and approved withdrawals of 1,000 centavos of sellers of their own. */
const startWith = Effect.fnUntraced(function* (more: Partial<Acquirer>) {
  const bank = makeBank({})
  const acquirer = { ...bank.acquirer, hasManualPayouts: true, ...more }
  const process = yield* startProcess({ acquirer })
  const approved = Effect.gen(function* () {
    const shop = yield* openShop(automatic)
    const { id } = yield* withdraw(process, shop.live)
    yield* settle
    return { shop, id, end: (end: ManualEnd) => process.commands.endManualPayout(id, end) }
  })
  return { bank, process, approved }
})

const start = startWith({})
/** What the next sweep must find in the list of what was sent. */
const expected = Effect.flatMap(SweepStore, (store) => store.unconfirmed(silentAcquirer.account))

/** Records a payout that a sweep found at the acquirer and that is none of ours. */
const openUnknown = (amount: number, bankId?: string) =>
  Effect.gen(function* () {
    const about = bankId ?? first
    const found = { kind: "payout_unknown", about, acquirer: "elsewhere", amount } as const
    const details = { payout_id: bankId ?? null, end_to_end_id: first, status: "paid" }
    const exception = exceptionOfNobody({ ...found, details }, silentAcquirer.account, 1, startMillis)
    const exceptions = yield* ExceptionStore
    yield* exceptions.open(exception)
    return Effect.map(exceptions.load(exception.id), (stored) => stored?.state)
  })

describe("a withdrawal that operators pay by hand", () => {
  it.effect(
    "it stays approved for as long as it takes, and the bank is neither sent anything nor asked",
    () =>
      onStore(
        Effect.gen(function* () {
          const { bank, approved } = yield* start
          const { shop, id } = yield* approved
          yield* pass(3 * 60 * 60 * 1_000)
          assert.strictEqual((yield* withdrawalNow(id)).status, "approved")
          assert.deepStrictEqual([bank.sent, bank.askedAtMillis], [[], []])
          assert.deepStrictEqual(yield* timersOf(id), ["pay"])
          assert.strictEqual((yield* balanceNow(shop.live)).pendingWithdraw, 1_100)
          const page = { state: undefined, kind: undefined, beforeId: undefined, limit: 10 }
          assert.deepStrictEqual(yield* (yield* ExceptionStore).list(page), [])
        }),
      ),
  )

  it.effect("it is handed over once its account has payouts by API again", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process, approved } = yield* start
        const { id } = yield* approved
        yield* process.kill
        yield* startProcess({ acquirer: bank.acquirer })
        yield* pass(limits.manualPayoutWaitMillis)
        assert.lengthOf(bank.sent, 1)
        assert.strictEqual((yield* withdrawalNow(id)).status, "processing")
      }),
    ),
  )

  it.effect("settling it books its money once, with the Pix that paid it; so does settling it again", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, approved } = yield* start
        const { shop, id, end } = yield* approved
        const settled = yield* end(settledBy())
        assert.strictEqual(settled.status, "successful")
        assert.deepStrictEqual(yield* end(settledBy()), settled)
        const withdrawal = yield* withdrawalNow(id)
        assert.strictEqual(withdrawal.end_to_end_id, first)
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["withdrawal_held", "withdrawal_settled"])
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "withdrawal.approved",
          "withdrawal.successful",
        ])
        assert.deepStrictEqual(yield* timersOf(id), [])
        assert.deepStrictEqual([bank.sent, bank.askedAtMillis], [[], []])
      }),
    ),
  )

  it.effect("failing it returns its money once, with the reason; so does failing it again", () =>
    onStore(
      Effect.gen(function* () {
        const { approved } = yield* start
        const { shop, id, end } = yield* approved
        const failed = yield* end(unpaid)
        assert.deepStrictEqual(yield* end({ act: "fail", reason: "another" }), failed)
        assert.deepInclude(yield* withdrawalNow(id), {
          status: "failed",
          failure_reason: "The bank refused the key",
        })
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["withdrawal_held", "withdrawal_returned"])
        assert.strictEqual((yield* balanceNow(shop.live)).available, 1_100)
      }),
    ),
  )

  it.effect("an act that contradicts its end is 409 and changes nothing", () =>
    onStore(
      Effect.gen(function* () {
        const { approved } = yield* start
        const one = yield* approved
        yield* one.end(settledBy())
        const other = yield* approved
        yield* other.end(unpaid)
        const before = [yield* withdrawalNow(one.id), yield* withdrawalNow(other.id)]
        for (const refused of [
          yield* Effect.flip(one.end(unpaid)),
          yield* Effect.flip(one.end(settledBy(second))),
        ]) {
          assert.deepInclude(refused, { code: "invalid_state", details: { status: "successful" } })
        }
        assert.deepInclude(yield* Effect.flip(other.end(settledBy(second))), {
          ...{ code: "invalid_state", details: { status: "failed" } },
        })
        assert.deepStrictEqual([yield* withdrawalNow(one.id), yield* withdrawalNow(other.id)], before)
      }),
    ),
  )

  it.effect("of two contradicting acts at once one is done, and the other is 409", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process, approved } = yield* start
        const other = yield* startProcess({ acquirer: { ...bank.acquirer, hasManualPayouts: true } })
        const { shop, id } = yield* approved
        const outcomes = yield* Effect.all(
          [
            Effect.result(process.commands.endManualPayout(id, settledBy())),
            Effect.result(other.commands.endManualPayout(id, unpaid)),
          ],
          { concurrency: "unbounded" },
        )
        assert.lengthOf(
          outcomes.filter(({ _tag }) => _tag === "Success"),
          1,
        )
        assert.lengthOf(yield* movementsOf(shop.live, id), 2)
      }),
    ),
  )
})

describe("the Pix by which a withdrawal is settled", () => {
  it.effect("a Pix settles one withdrawal: the second is 409 with the first", () =>
    onStore(
      Effect.gen(function* () {
        const { approved } = yield* start
        const one = yield* approved
        const other = yield* approved
        yield* one.end(settledBy())
        assert.deepInclude(yield* Effect.flip(other.end(settledBy())), {
          code: "invalid_state",
          details: { reason: "end_to_end_id_claimed", claimed_by: one.id },
        })
        assert.strictEqual((yield* withdrawalNow(other.id)).status, "approved")
        yield* other.end(settledBy(second))
      }),
    ),
  )

  it.effect("a Pix that came in and paid a charge settles no withdrawal", () =>
    onStore(
      Effect.gen(function* () {
        const { approved } = yield* start
        const { end } = yield* approved
        const pix = { account: silentAcquirer.account, endToEndId: first }
        yield* (yield* PixClaimStore).claim(pix, "txn_1")
        assert.deepInclude(yield* Effect.flip(end(settledBy())), {
          details: { reason: "end_to_end_id_claimed", claimed_by: "txn_1" },
        })
      }),
    ),
  )

  it.effect("a Pix that another withdrawal claimed and did not end by is free again", () =>
    onStore(
      Effect.gen(function* () {
        const { approved } = yield* start
        const one = yield* approved
        const other = yield* approved
        // The process died before the commit, and the operator corrected the id then.
        yield* (yield* PixClaimStore).claim({ account: silentAcquirer.account, endToEndId: first }, one.id)
        assert.deepInclude(yield* Effect.flip(other.end(settledBy())), {
          details: { reason: "end_to_end_id_claimed", claimed_by: one.id },
        })
        yield* one.end(settledBy(second))
        assert.strictEqual((yield* other.end(settledBy())).status, "successful")
      }),
    ),
  )

  it.effect.each([undefined, "an-id-of-the-bank"])(
    "settling resolves the exception of a payout that a sweep had found before (its id there is %s)",
    (bankId) =>
      onStore(
        Effect.gen(function* () {
          const { approved } = yield* start
          const { end } = yield* approved
          const state = yield* openUnknown(1_000, bankId)
          yield* end(settledBy())
          assert.strictEqual(yield* state, "resolved")
        }),
      ),
  )

  it.effect("sweeps are to find the Pix in the list of what was sent, where there is one", () =>
    onStore(
      Effect.gen(function* () {
        const unlisted = yield* (yield* start).approved
        yield* unlisted.end(settledBy(second))
        assert.deepStrictEqual(yield* expected, [])
        const { id, end } = yield* (yield* startWith({ books })).approved
        yield* end(settledBy())
        yield* end(settledBy())
        const item = { kind: "payout", withdrawalId: id, endToEndId: first, amount: 1_000 } as const
        assert.deepStrictEqual(yield* expected, [
          {
            item: { ...item, returnedAmount: 0, status: "absent" },
            ...{ sinceMillis: startMillis, sweeps: 0 },
          },
        ])
      }),
    ),
  )

  it.effect("a Pix that a sweep has seen in the list need not be found once more", () =>
    onStore(
      Effect.gen(function* () {
        const { end } = yield* (yield* startWith({ books })).approved
        yield* openUnknown(1_000)
        yield* end(settledBy())
        assert.deepStrictEqual(yield* expected, [])
      }),
    ),
  )

  it.effect("a Pix that the bank's list has with another amount settles nothing", () =>
    onStore(
      Effect.gen(function* () {
        const { approved } = yield* start
        const { id, end } = yield* approved
        const state = yield* openUnknown(999)
        assert.deepInclude(yield* Effect.flip(end(settledBy())), {
          details: { reason: "other_amount", amount_there: 999 },
        })
        assert.strictEqual((yield* withdrawalNow(id)).status, "approved")
        assert.strictEqual(yield* state, "open")
      }),
    ),
  )
})

describe("a withdrawal that the service hands over itself", () => {
  it.effect("it can be neither settled nor failed by hand, in test mode either", () =>
    onStore(
      Effect.gen(function* () {
        const bank = makeBank({})
        const byApi = yield* startProcess({ acquirer: bank.acquirer })
        const shop = yield* openShop()
        const { id } = yield* withdraw(byApi, shop.live)
        const manual = yield* startProcess({ acquirer: { ...bank.acquirer, hasManualPayouts: true } })
        const inTest = yield* withdraw(manual, shop.test)
        for (const end of [settledBy(), unpaid]) {
          for (const refused of [
            yield* Effect.flip(byApi.commands.endManualPayout(id, end)),
            yield* Effect.flip(manual.commands.endManualPayout(inTest.id, end)),
          ]) {
            assert.deepInclude(refused, { code: "invalid_state", details: { reason: "not_manual" } })
          }
          // It awaits approval.
          assert.deepInclude(yield* Effect.flip(manual.commands.endManualPayout(id, end)), {
            ...{ code: "invalid_state", details: { status: "awaiting" } },
          })
        }
      }),
    ),
  )
})
