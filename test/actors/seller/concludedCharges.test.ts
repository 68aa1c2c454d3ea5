import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Acquirer, ChargeReport } from "../../../actors/ports/acquirer.ts"
import { PartitionCount } from "../../../actors/ports/partitionCount.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import type { UnconfirmedItem } from "../../../actors/ports/sweepStore.ts"
import { makeUnconfirmedExceptions } from "../../../actors/sweeps/unconfirmed.ts"
import { txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { noNews, paidBy, silentAcquirer } from "../support/acquirer.ts"
import { acquirerWith, emptyScript } from "../support/books.ts"
import { exceptionsNow, onlyException, resolve } from "../support/exceptions.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow } from "../support/purse.ts"
import { pass } from "../support/settle.ts"
import { chargeNow, createCharge, eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const minute = 60_000
const { account } = silentAcquirer
/** The acquirer says that a charge was paid, and not by what. */
const concluded: ChargeReport = { ...noNews, isConcluded: true }

/** A live charge that expires after two minutes, at an acquirer which says of it what the test sets. */
const openCharge = Effect.gen(function* () {
  let report = concluded
  let asked = 0
  let cancelled = 0
  const acquirer: Acquirer = {
    ...silentAcquirer,
    books: acquirerWith(emptyScript()).books,
    createCharge: ({ txid }) => Effect.succeed({ location: `pix.example/${txid}`, askAfterMillis: 30_000 }),
    queryCharge: () => {
      asked += 1
      return Effect.sync(() => report)
    },
    cancelCharge: () => {
      cancelled += 1
      return Effect.succeed("refused" as const)
    },
  }
  const shop = yield* openShop()
  const process = yield* startProcess({ acquirer })
  const { id } = yield* createCharge(process, shop.live, { body: { pix: { expires_in_seconds: 120 } } })
  const says = (next: ChargeReport) => {
    report = next
  }
  const reconcile = (endToEndId: string) =>
    process.commands.reconcileCharge(id, { endToEndId, refundId: undefined })
  const available = Effect.map(balanceNow(shop.live), (balance) => balance.available)
  return {
    ...{ acquirer, shop, process, id, says, reconcile, available },
    asked: () => asked,
    cancelled: () => cancelled,
  }
})

/** The same, past the ten minutes after its expiry. */
const openUnconfirmed = Effect.gen(function* () {
  const opened = yield* openCharge
  yield* pass(2 * minute + limits.unconfirmedMillisMin)
  return { ...opened, exception: yield* onlyException }
})

describe("a charge that the acquirer says was paid, by a Pix that it does not name", () => {
  it.effect("it is asked about for ten minutes after its expiry, is not cancelled, and stays pending", () =>
    onStore(
      Effect.gen(function* () {
        const { id, asked, cancelled } = yield* openCharge
        yield* pass(2 * minute + limits.unconfirmedMillisMin - 1)
        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        assert.deepStrictEqual(yield* exceptionsNow(), [])
        // In its first minute, at its expiry, and four times more.
        assert.strictEqual(asked(), 6)
        assert.strictEqual(cancelled(), 0)
      }),
    ),
  )

  it.effect("then it expires with a payment_unconfirmed of its amount, in one commit", () =>
    onStore(
      Effect.gen(function* () {
        const { id, shop, exception } = yield* openUnconfirmed
        assert.strictEqual((yield* chargeNow(id)).status, "expired")
        assert.deepInclude(exception, {
          ...{ kind: "payment_unconfirmed", state: "open", resource_id: id, amount: 1_000 },
          details: {
            ...{ end_to_end_id: null, txid: txidOf(id), charge_amount: 1_000 },
            ...{ status: "expired", query_status: "paid" },
          },
        })
        assert.deepStrictEqual(yield* timersOf(id), [])
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.expired",
        ])
      }),
    ),
  )

  it.effect("it is paid once the acquirer names its Pix within these minutes", () =>
    onStore(
      Effect.gen(function* () {
        const { id, says } = yield* openCharge
        yield* pass(2 * minute + limits.unconfirmedMillisMin - 1)
        says(paidBy("E1"))
        yield* pass(1)
        assert.deepInclude(yield* chargeNow(id), { status: "paid", end_to_end_id: "E1" })
        assert.deepStrictEqual(yield* exceptionsNow(), [])
      }),
    ),
  )

  it.effect("its exception is resolved by itself once a Pix has paid it", () =>
    onStore(
      Effect.gen(function* () {
        const { id, says, reconcile, available } = yield* openUnconfirmed
        says(paidBy("E1"))
        yield* reconcile("E1")
        assert.deepInclude(yield* chargeNow(id), { status: "paid", end_to_end_id: "E1" })
        assert.deepInclude(yield* onlyException, { state: "resolved", act: "dismiss", resolved_by: null })
        assert.strictEqual(yield* available, 1_000)
      }),
    ),
  )

  it.effect("a refund is refused, since nobody knows what could go back", () =>
    onStore(
      Effect.gen(function* () {
        const { process, exception } = yield* openUnconfirmed
        const refused = yield* Effect.flip(resolve(process, exception.id, "refund"))
        assert.deepInclude(refused, { code: "invalid_state" })
        assert.deepInclude("details" in refused ? refused.details : {}, { reason: "end_to_end_id_unknown" })
      }),
    ),
  )

  it.effect(
    "a credit counts for the Pix that the acquirer names later, and the next Pix pays the charge",
    () =>
      onStore(
        Effect.gen(function* () {
          const { id, says, reconcile, process, exception, available } = yield* openUnconfirmed
          assert.strictEqual((yield* resolve(process, exception.id, "credit")).kind, "resolved")
          assert.strictEqual(yield* available, 1_000)
          says(paidBy("E1"))
          yield* reconcile("E1")
          yield* reconcile("E1")
          assert.strictEqual((yield* chargeNow(id)).status, "expired")
          assert.strictEqual(yield* available, 1_000)
          const [holder] = yield* (yield* PixClaimStore).findAll(account, ["E1"])
          assert.strictEqual(holder, exception.id)
          const named = (yield* exceptionsNow()).find(({ kind }) => kind === "double_payment")
          assert.deepInclude(named?.details ?? {}, { end_to_end_id: "E1", claimed_by: exception.id })

          says({ ...noNews, payments: [...paidBy("E1").payments, ...paidBy("E2").payments] })
          yield* reconcile("E2")
          assert.deepInclude(yield* chargeNow(id), { status: "paid", end_to_end_id: "E2" })
          assert.strictEqual(yield* available, 2_000)
        }),
      ),
  )
})

describe("a Pix that the list names for a charge which was credited, or may be, without one", () => {
  const listed = (transactionId: string): UnconfirmedItem => ({
    item: { kind: "pix", transactionId, endToEndId: "E1", refundId: undefined, amount: 1_000 },
    ...{ sinceMillis: 1, sweeps: 5 },
  })

  const unconfirmedOf = (acquirer: Acquirer) =>
    Effect.provideService(makeUnconfirmedExceptions(acquirer), PartitionCount, { partitions: 1 })

  it.effect("the open exception gives way to the one that names the Pix", () =>
    onStore(
      Effect.gen(function* () {
        const { acquirer, id, exception } = yield* openUnconfirmed
        const { open } = yield* unconfirmedOf(acquirer)
        yield* open(listed(id), "paid")
        const [first, second] = (yield* exceptionsNow()).toSorted((one) => (one.id === exception.id ? -1 : 1))
        assert.deepInclude(first, { state: "resolved", resolved_by: null })
        assert.deepInclude(second, { kind: "payment_unconfirmed", state: "open" })
        assert.deepInclude(second?.details ?? {}, { end_to_end_id: "E1" })
      }),
    ),
  )

  it.effect("after a credit it cannot be credited again", () =>
    onStore(
      Effect.gen(function* () {
        const { acquirer, process, id, exception, available } = yield* openUnconfirmed
        yield* resolve(process, exception.id, "credit")
        const { open } = yield* unconfirmedOf(acquirer)
        yield* open(listed(id), "paid")
        const named = (yield* exceptionsNow()).find((one) => one.id !== exception.id)
        const refused = yield* Effect.flip(resolve(process, named?.id ?? "", "credit"))
        assert.deepInclude("details" in refused ? refused.details : {}, {
          reason: "end_to_end_id_claimed",
          claimed_by: exception.id,
        })
        assert.strictEqual(yield* available, 1_000)
      }),
    ),
  )
})
