import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { LedgerMovement } from "../../../actors/ports/ledger.ts"
import type { StoredTransaction, TransitionCommit } from "../../../actors/ports/transactionStore.ts"
import {
  heldReserve,
  reserveOf,
  withdrawalHeld,
  withdrawalReturned,
  withdrawalSettled,
} from "../../../actors/seller/decisions/movements.ts"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { chargeFee } from "../../../actors/seller/decisions/transactionDocument.ts"
import {
  afterCommit,
  decidePaid,
  decideReleased,
  decideReturned,
  readCharge,
} from "../../../actors/seller/decisions/transactionTransitions.ts"
import { limits } from "../../../schema/limits.ts"
import type { Bucket } from "../../../schema/resources/ledger.ts"
import { runsOf } from "../../support/sizes.ts"
import { atMillis, nowMillis, storedCharge } from "../support/charges.ts"

const time = atMillis(nowMillis)
const cents = fc.oneof(
  fc.integer({ min: limits.amountMin, max: limits.amountMax }),
  fc.integer({ min: limits.amountMin, max: 300 }),
)
const basisPoints = fc.oneof(
  fc.nat({ max: limits.basisPointsMax }),
  fc.constantFrom(0, limits.basisPointsMax),
)

/** Buckets, all empty. */
const emptyBooks = (): Record<Bucket, number> => ({
  available: 0,
  reserve: 0,
  pending_withdraw: 0,
  pending_refund: 0,
  external: 0,
  fees: 0,
})

const sumOf = (movement: LedgerMovement): number =>
  movement.postings.reduce((sum, { amount }) => sum + amount, 0)

const post = (books: Record<Bucket, number>, movement: LedgerMovement | undefined) => {
  if (movement === undefined) return
  expect(sumOf(movement)).toBe(0)
  // No posting is zero, and no bucket has two.
  expect(movement.postings.every(({ amount }) => Number.isSafeInteger(amount) && amount !== 0)).toBe(true)
  expect(new Set(movement.postings.map(({ bucket }) => bucket)).size).toBe(movement.postings.length)
  for (const { bucket, amount } of movement.postings) books[bucket] += amount
}

/** A charge with its books: each commit is applied and posted. */
const openCharge = (amount: number, fee: number) => {
  const books = emptyBooks()
  let stored: StoredTransaction = storedCharge("pending", { amount, fee, net_amount: amount - fee })
  return {
    books,
    charge: () => readCharge(stored),
    apply: (decide: (now: StoredTransaction) => TransitionCommit | undefined) => {
      const commit = decide(stored)
      if (commit === undefined) return false
      post(books, commit.movement)
      stored = afterCommit(stored, commit)
      return true
    },
  }
}

/** A step of a paid charge: a share of its amount is returned, or its reserve is released. */
const act = fc.oneof(
  fc.record({
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    kind: fc.constantFrom("refund" as const, "chargeback" as const),
  }),
  fc.constant("release" as const),
)

describe("the reserve of a net amount", () => {
  it.each([
    // net amount, basis points, reserve
    [1_000, 1_000, 100],
    [5, 1_000, 1],
    [4, 1_000, 0],
    [15, 1_000, 2],
    [14, 1_000, 1],
    [0, 10_000, 0],
    [1, 5_000, 1],
    [1, 4_999, 0],
    [limits.amountMax, 10_000, limits.amountMax],
    [limits.amountMax, 9_999, 999_899_999_999],
  ])("the reserve of %i centavos at %i basis points is %i", (net, bps, reserve) => {
    expect(reserveOf(net, bps)).toBe(reserve)
  })

  it("a reserve is the exact quotient rounded half up and never above the net amount", () => {
    fc.assert(
      fc.property(fc.nat({ max: limits.amountMax }), basisPoints, (net, bps) => {
        const product = BigInt(net) * BigInt(bps)
        const rounded = product / 10_000n + (product % 10_000n >= 5_000n ? 1n : 0n)

        expect(BigInt(reserveOf(net, bps))).toBe(rounded)
        expect(reserveOf(net, bps)).toBeLessThanOrEqual(net)
      }),
      { numRuns: runsOf(2_000) },
    )
  })
})

describe("a charge's whole life in the ledger", () => {
  it("a charge loses no centavo, whatever is returned and whenever its reserve is released", () => {
    fc.assert(
      fc.property(cents, basisPoints, fc.nat({ max: 500 }), basisPoints, fc.array(act), (amount, ...rest) => {
        const [chargeFeeBps, chargeFeeFixed, reserveBps, acts] = rest
        const fee = chargeFee(amount, { chargeFeeBps, chargeFeeFixed })
        const life = openCharge(amount, fee)
        life.apply((now) => decidePaid(now, "E1", { ...initialSettings, reserveBps, reserveDays: 30 }, time))
        const reserved = reserveOf(amount - fee, reserveBps)
        expect(life.books).toEqual({
          available: amount - fee - reserved,
          reserve: reserved,
          pending_withdraw: 0,
          pending_refund: 0,
          external: -amount,
          fees: fee,
        })

        for (const [index, next] of acts.entries()) {
          if (next === "release") life.apply((now) => decideReleased(now, time))
          else {
            const refund = { id: `d${index}`, amount: Math.ceil(next.share * amount), kind: next.kind }
            life.apply((now) => decideReturned(now, refund, time))
          }
          const { refunded_amount: returned } = life.charge()
          expect(life.books.reserve).toBe(heldReserve(life.charge()))
          expect(life.books.reserve).toBeGreaterThanOrEqual(0)
          expect(life.books.available + life.books.reserve).toBe(amount - fee - returned)
          expect(life.books.external).toBe(returned - amount)
          expect(life.books.fees).toBe(fee)
          expect(returned).toBeLessThanOrEqual(amount)
          expect(life.charge().status === "paid").toBe(returned < amount)
        }
      }),
      { numRuns: runsOf(2_000) },
    )
  })

  it("a charge that is returned whole, in any split, leaves its fee as the seller's debt", () => {
    fc.assert(
      fc.property(
        cents,
        basisPoints,
        fc.array(fc.integer({ min: 1, max: 1_000 })),
        (amount, bps, weights) => {
          const fee = chargeFee(amount, { chargeFeeBps: 199, chargeFeeFixed: 30 })
          const life = openCharge(amount, fee)
          life.apply((now) => decidePaid(now, "E1", { ...initialSettings, reserveBps: bps }, time))
          const total = weights.reduce((sum, weight) => sum + weight, 1)
          const parts = weights
            .map((weight) => Math.floor((amount / total) * weight))
            .filter((part) => part > 0)
          const rest = amount - parts.reduce((sum, part) => sum + part, 0)
          for (const [index, part] of [...parts, rest].entries()) {
            life.apply((now) => decideReturned(now, { id: `d${index}`, amount: part, kind: "refund" }, time))
          }

          expect(life.charge().status).toBe("refunded")
          expect(life.books).toEqual({
            available: -fee,
            reserve: 0,
            pending_withdraw: 0,
            pending_refund: 0,
            external: 0,
            fees: fee,
          })
        },
      ),
      { numRuns: runsOf(1_000) },
    )
  })

  it("the release of a reserve frees what is still held, and only once", () => {
    fc.assert(
      fc.property(cents, basisPoints, (amount, reserveBps) => {
        const life = openCharge(amount, 0)
        life.apply((now) => decidePaid(now, "E1", { ...initialSettings, reserveBps }, time))
        const isHeld = heldReserve(life.charge()) > 0
        expect(life.apply((now) => decideReleased(now, time))).toBe(isHeld)

        expect(life.books).toMatchObject({ available: amount, reserve: 0 })
        expect(life.apply((now) => decideReleased(now, time))).toBe(false)
      }),
    )
  })
})

describe("a withdrawal's money", () => {
  it("a withdrawal's money is held whole and then leaves, its fee apart, or is returned whole", () => {
    fc.assert(
      fc.property(cents, fc.nat({ max: 10_000 }), fc.boolean(), (amount, fee, isPaid) => {
        const withdrawal = { id: "wd_1", amount, fee, total: amount + fee }
        const books = emptyBooks()
        post(books, withdrawalHeld(withdrawal))
        expect(books).toEqual({
          ...emptyBooks(),
          available: -withdrawal.total,
          pending_withdraw: withdrawal.total,
        })
        post(books, isPaid ? withdrawalSettled(withdrawal) : withdrawalReturned(withdrawal))

        expect(books).toEqual(
          isPaid
            ? { ...emptyBooks(), available: -withdrawal.total, external: amount, fees: fee }
            : emptyBooks(),
        )
      }),
    )
  })
})
