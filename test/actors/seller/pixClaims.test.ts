import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Acquirer, ChargeReport } from "../../../actors/ports/acquirer.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import { txidOf } from "../../../schema/ids.ts"
import { noNews, paidBy, silentAcquirer } from "../support/acquirer.ts"
import { exceptionsNow, onlyException, openUnknown, resolve } from "../support/exceptions.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, movementsOf } from "../support/purse.ts"
import { chargeNow, createCharge, openShop } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

const about = (endToEndId: string) => ({ endToEndId, refundId: undefined })
const { account } = silentAcquirer
const holderOf = (endToEndId: string) =>
  Effect.map(
    Effect.flatMap(PixClaimStore, (store) => store.findAll(account, [endToEndId])),
    ([holder]) => holder,
  )

/** Two sellers of different partitions with a live charge each, and what the acquirer says of both. */
const openCharges = Effect.gen(function* () {
  const reports = new Map<string, ChargeReport>()
  const acquirer: Acquirer = {
    ...silentAcquirer,
    queryCharge: ({ txid }) => Effect.sync(() => reports.get(txid) ?? noNews),
    refund: ({ refundId, amount }) =>
      Effect.succeed({ id: refundId, amount, kind: "refund", status: "processing" } as const),
  }
  const process = yield* startProcess({ acquirer })
  const open = Effect.fnUntraced(function* (partition: number) {
    const shop = yield* openShop({ partition })
    const { id } = yield* createCharge(process, shop.live)
    return { shop, id, says: (report: ChargeReport) => reports.set(txidOf(id), report) }
  })
  return { process, first: yield* open(0), second: yield* open(1) }
})

const partitions = 2

describe("a Pix that two charges name", () => {
  it.effect("it pays the first, and is a double_payment of the second, which names the first", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first, second } = yield* openCharges
        for (const { says } of [first, second]) says(paidBy("E1"))
        yield* process.commands.reconcileCharge(first.id, about("E1"))
        const answer = yield* process.commands.reconcileCharge(second.id, about("E1"))

        assert.deepInclude(answer, { kind: "settled" })
        assert.deepInclude(yield* chargeNow(first.id), { status: "paid", end_to_end_id: "E1" })
        assert.deepInclude(yield* chargeNow(second.id), { status: "pending", end_to_end_id: null })
        assert.strictEqual((yield* balanceNow(second.shop.live)).available, 0)
        const exception = yield* onlyException
        assert.deepInclude(exception, { kind: "double_payment", resource_id: second.id })
        assert.deepInclude(exception.details, { end_to_end_id: "E1", claimed_by: first.id })

        for (const act of ["credit", "refund"] as const) {
          const refused = yield* Effect.flip(resolve(process, exception.id, act))
          assert.deepInclude(refused, { code: "invalid_state" })
          assert.deepInclude("details" in refused ? refused.details : {}, {
            reason: "end_to_end_id_claimed",
            claimed_by: first.id,
          })
        }
        assert.strictEqual((yield* balanceNow(second.shop.live)).available, 0)
        assert.strictEqual((yield* resolve(process, exception.id, "dismiss")).kind, "resolved")
      }),
      partitions,
    ),
  )

  it.effect("the second is paid by the next Pix of its own", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first, second } = yield* openCharges
        first.says(paidBy("E1"))
        yield* process.commands.reconcileCharge(first.id, about("E1"))
        const [one, other] = [paidBy("E1").payments, paidBy("E2").payments]
        second.says({ ...noNews, payments: [...one, ...other] })
        yield* process.commands.reconcileCharge(second.id, about("E2"))
        assert.deepInclude(yield* chargeNow(second.id), { status: "paid", end_to_end_id: "E2" })
        assert.strictEqual((yield* onlyException).kind, "double_payment")
      }),
      partitions,
    ),
  )

  it.effect("a claim whose commit was lost is used by the charge that has it, and by no other", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first, second } = yield* openCharges
        for (const { says } of [first, second]) says(paidBy("E1"))
        const { away } = yield* StoreFaults
        away.add("transition")
        yield* Effect.exit(process.commands.reconcileCharge(first.id, about("E1")))
        assert.strictEqual(yield* holderOf("E1"), first.id)
        away.clear()
        yield* process.commands.reconcileCharge(second.id, about("E1"))
        assert.strictEqual((yield* chargeNow(second.id)).status, "pending")
        yield* process.commands.reconcileCharge(first.id, about("E1"))
        assert.strictEqual((yield* chargeNow(first.id)).status, "paid")
      }),
      partitions,
    ),
  )

  it.effect(
    "a claim of a charge that another Pix has paid since is free for the credit of its exception",
    () =>
      onStore(
        Effect.gen(function* () {
          const { process, first } = yield* openCharges
          yield* (yield* PixClaimStore).claim({ account, endToEndId: "E1" }, first.id)
          first.says(paidBy("E2"))
          yield* process.commands.reconcileCharge(first.id, about("E2"))
          first.says({ ...noNews, payments: [...paidBy("E2").payments, ...paidBy("E1").payments] })
          yield* process.commands.reconcileCharge(first.id, about("E1"))
          const exception = yield* onlyException
          assert.strictEqual((yield* resolve(process, exception.id, "credit")).kind, "resolved")
          assert.strictEqual(yield* holderOf("E1"), exception.id)
        }),
        partitions,
      ),
  )
})

describe("a payment_unknown whose Pix pays a charge after all", () => {
  it.effect("it is resolved although the process died right after it had paid", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first } = yield* openCharges
        yield* openUnknown("payment_unknown", 1_000, partitions)
        first.says(paidBy("E9"))
        const { away } = yield* StoreFaults
        away.add("commitException")
        yield* Effect.exit(process.commands.reconcileCharge(first.id, about("E9")))
        assert.strictEqual((yield* chargeNow(first.id)).status, "paid")
        assert.deepInclude(yield* onlyException, { kind: "payment_unknown", state: "open" })

        away.clear()
        yield* process.commands.reconcileCharge(first.id, about("E9"))
        assert.deepInclude(yield* onlyException, { state: "resolved", resolved_by: null })
      }),
      partitions,
    ),
  )

  it.effect("it is resolved by itself, in whatever partition it lies", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first } = yield* openCharges
        yield* openUnknown("payment_unknown", 1_000, partitions)
        first.says(paidBy("E9"))
        yield* process.commands.reconcileCharge(first.id, about("E9"))
        assert.strictEqual((yield* chargeNow(first.id)).status, "paid")
        assert.deepInclude(yield* onlyException, { state: "resolved", act: "dismiss", resolved_by: null })
      }),
      partitions,
    ),
  )

  it.effect("one that is on its way back to its payer goes on", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first } = yield* openCharges
        const id = yield* openUnknown("payment_unknown", 1_000, partitions)
        yield* resolve(process, id, "refund")
        first.says(paidBy("E9"))
        yield* process.commands.reconcileCharge(first.id, about("E9"))
        assert.deepInclude(yield* onlyException, { state: "open" })
      }),
      partitions,
    ),
  )
})

describe("the credit of a payment_unknown", () => {
  it.effect("one whose Pix has paid a charge is refused, and moves nothing", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first } = yield* openCharges
        first.says(paidBy("E9"))
        yield* process.commands.reconcileCharge(first.id, about("E9"))
        const id = yield* openUnknown("payment_unknown", 1_000, partitions)
        const { sellerId } = first.shop
        const refused = yield* Effect.flip(resolve(process, id, "credit", { sellerId }))
        assert.deepInclude("details" in refused ? refused.details : {}, { reason: "end_to_end_id_claimed" })
        assert.strictEqual((yield* balanceNow(first.shop.live)).available, 1_000)
        assert.deepStrictEqual(yield* movementsOf(first.shop.live, id), [])
      }),
      partitions,
    ),
  )

  it.effect("a charge that names its Pix later is not paid by it", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first, second } = yield* openCharges
        const id = yield* openUnknown("payment_unknown", 1_000, partitions)
        yield* resolve(process, id, "credit", { sellerId: second.shop.sellerId })
        first.says(paidBy("E9"))
        yield* process.commands.reconcileCharge(first.id, about("E9"))
        assert.strictEqual((yield* chargeNow(first.id)).status, "pending")
        const found = (yield* exceptionsNow()).find(({ kind }) => kind === "double_payment")
        assert.deepInclude(found?.details ?? {}, { end_to_end_id: "E9", claimed_by: id })
      }),
      partitions,
    ),
  )

  it.effect("a claim of an exception that was dismissed is free for the charge that names its Pix", () =>
    onStore(
      Effect.gen(function* () {
        const { process, first } = yield* openCharges
        const id = yield* openUnknown("payment_unknown", 1_000, partitions)
        yield* (yield* PixClaimStore).claim({ account, endToEndId: "E9" }, id)
        yield* resolve(process, id, "dismiss")
        first.says(paidBy("E9"))
        yield* process.commands.reconcileCharge(first.id, about("E9"))
        assert.strictEqual((yield* chargeNow(first.id)).status, "paid")
      }),
      partitions,
    ),
  )
})
