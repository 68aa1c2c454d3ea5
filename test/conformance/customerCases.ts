import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { CustomerStore, type StoredCustomer } from "../../actors/ports/customerStore.ts"
import { type StoredTransaction, TransactionStore } from "../../actors/ports/transactionStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { creationOf, expectKind, move, newCharge, openShop } from "./fixtures.ts"
import { elapse, Stage, type StoreCase, storeCase } from "./stage.ts"

const [ana, bia, cleo, duda] = ["ANA", "B1A", "CLE0", "DVDA"].map((name) => name.padEnd(14, "0")) as [
  string,
  string,
  string,
  string,
]

/** A written charge of a customer, newer than those before it. */
const chargeOf = (owner: Principal, customer: string | undefined) =>
  Effect.gen(function* () {
    yield* elapse(2)
    const fresh = yield* newCharge(owner)
    const charge: StoredTransaction = customer === undefined ? fresh : { ...fresh, customer }
    yield* expectKind("created", (yield* TransactionStore).create(creationOf(owner, charge)))
    return charge
  })

/** The same, paid by a commit that counts. */
const paidOf = (owner: Principal, customer: string | undefined, amount: number) =>
  Effect.flatMap(chargeOf(owner, customer), (charge) =>
    move(charge, "paid", { customer: { paid: amount, refunded: 0 } }),
  )

const read = (owner: Principal, ...digests: ReadonlyArray<string>) =>
  Effect.flatMap(CustomerStore, (store) => store.read(owner, digests))

const merge = (owner: Principal, from: string, into: string, mergedMax = 20) =>
  Effect.map(
    Effect.flatMap(CustomerStore, (store) => store.merge(owner, { from, into, mergedMax })),
    ({ kind }) => kind,
  )

const listed = (owner: Principal, customers: ReadonlyArray<string>, beforeId?: string, limit = 9) =>
  Effect.gen(function* () {
    const window = { fromMillis: undefined, toMillis: undefined }
    const page = { beforeId, limit, ...window }
    const found = yield* (yield* TransactionStore).listOfTerms(owner, customers, page)
    return "kind" in found ? found.kind : found.map(({ id }) => id)
  })

export const customerCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a customer is what its charges are: how many, the first and the last, and what commits have counted",
    Effect.gen(function* () {
      const { test, live } = yield* openShop()
      assert.deepStrictEqual(yield* read(test, ana), [undefined])
      assert.deepStrictEqual(yield* read(test), [])
      const first = yield* paidOf(test, ana, 12_990)
      const other = yield* chargeOf(test, bia)
      yield* chargeOf(test, undefined)
      yield* move(first, "refunded", { customer: { paid: 0, refunded: 500 } })
      const last = yield* paidOf(test, ana, 10)
      const ofAna: StoredCustomer = {
        ...{ digests: [ana], charges: 2, paidAmount: 13_000, refundedAmount: 500 },
        ...{ firstChargeId: first.id, lastChargeId: last.id, shownById: last.id },
      }
      const ofBia: StoredCustomer = {
        ...{ digests: [bia], charges: 1, paidAmount: 0, refundedAmount: 0 },
        ...{ firstChargeId: other.id, lastChargeId: other.id, shownById: other.id },
      }
      assert.deepStrictEqual(yield* read(test, bia, cleo, ana), [ofBia, undefined, ofAna])
      assert.deepStrictEqual(yield* read(live, ana), [undefined], "of the other mode")
      assert.deepStrictEqual(yield* read((yield* openShop()).test, ana), [undefined], "another seller's")
      assert.strictEqual((yield* (yield* TransactionStore).load(last.id))?.customer, ana)
    }),
  ),
  storeCase(
    "a commit that counts for a charge without a customer counts for none, and one that counts nothing changes nothing",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      yield* paidOf(test, undefined, 12_990)
      const charge = yield* chargeOf(test, ana)
      yield* move(charge, "expired")
      const [customer] = (yield* read(test, ana)) as ReadonlyArray<{ readonly paidAmount: number }>
      assert.strictEqual(customer?.paidAmount, 0)
    }),
  ),
  storeCase(
    "charges of some customers are listed newest first and in pages, and of none there are none",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      const one = yield* chargeOf(test, ana)
      const two = yield* paidOf(test, bia, 1)
      yield* chargeOf(test, cleo)
      const three = yield* chargeOf(test, ana)
      assert.deepStrictEqual(yield* listed(test, [ana]), [three.id, one.id])
      assert.deepStrictEqual(yield* listed(test, [ana, bia]), [three.id, two.id, one.id])
      assert.deepStrictEqual(yield* listed(test, [ana, bia], undefined, 2), [three.id, two.id])
      assert.deepStrictEqual(yield* listed(test, [ana, bia], two.id, 2), [one.id])
      assert.deepStrictEqual(yield* listed(test, []), [])
    }),
  ),
  storeCase(
    "merged customers are one: sums add, charges are of both, and a later charge with either document counts",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      const first = yield* paidOf(test, bia, 100)
      const own = yield* paidOf(test, ana, 1_000)
      assert.strictEqual(yield* merge(test, bia, ana), "merged")
      const later = yield* paidOf(test, bia, 10)
      const expected: StoredCustomer = {
        ...{ digests: [ana, bia], charges: 3, paidAmount: 1_110, refundedAmount: 0 },
        ...{ firstChargeId: first.id, lastChargeId: later.id, shownById: own.id },
      }
      assert.deepStrictEqual(yield* read(test, ana, bia), [expected, expected])
      assert.strictEqual(yield* merge(test, bia, ana), "same", "again")
      assert.strictEqual(yield* merge(test, ana, bia), "same", "the other way")
      assert.deepStrictEqual(yield* read(test, bia), [expected])
    }),
  ),
  storeCase(
    "a customer takes with it what was merged into it, and is shown by a merged one while it has no charge",
    Effect.gen(function* () {
      const { test, live } = yield* openShop()
      const charge = yield* paidOf(test, ana, 1)
      for (const [from, into] of [
        [ana, bia],
        [cleo, duda],
        [bia, cleo],
      ] as const) {
        assert.strictEqual(yield* merge(test, from, into), "merged")
      }
      const [customer] = (yield* read(test, ana)) as ReadonlyArray<{ readonly digests: unknown }>
      assert.deepStrictEqual(customer, {
        ...{ digests: [duda, cleo, ana, bia], charges: 1, paidAmount: 1, refundedAmount: 0 },
        ...{ firstChargeId: charge.id, lastChargeId: charge.id, shownById: charge.id },
      })
      yield* chargeOf(live, ana)
      const [ofLive] = (yield* read(live, ana)) as ReadonlyArray<{ readonly digests: unknown }>
      assert.deepStrictEqual(ofLive?.digests, [ana], "of the other mode")
    }),
  ),
  storeCase(
    "so many customers are merged into one and not one more, those that come along included",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      assert.strictEqual(yield* merge(test, bia, ana, 2), "merged")
      assert.strictEqual(yield* merge(test, cleo, duda, 2), "merged")
      assert.strictEqual(yield* merge(test, duda, ana, 2), "full")
      assert.strictEqual(yield* merge(test, duda, ana, 3), "merged")
    }),
  ),
  storeCase(
    "a key that was revoked reads no customers",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      yield* chargeOf(test, ana)
      yield* (yield* Stage).revokeKey(test)
      assert.deepStrictEqual(yield* read(test, ana), { kind: "keyInvalid" })
    }),
    { needs: ["revokeKey"] },
  ),
]
