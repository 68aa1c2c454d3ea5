import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SellerSettings, StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { removesControl } from "../../../actors/seller/decisions/sellerControls.ts"

const now = 1_795_000_000_000
const seller: StoredSeller = {
  ...newStoredSeller({
    ...{ id: "sel_1", name: "Loja", userId: "u1", kycStatus: "pending" },
    createdAt: "2026-11-01T00:00:00.000Z",
  }),
  settings: {
    ...{ chargeFeeBps: 100, chargeFeeFixed: 10, reserveBps: 500, reserveDays: 30, withdrawalFee: 100 },
    ...{ withdrawalDailyValue: 1_000, withdrawalDailyCount: 5, withdrawalAutoApproval: false },
  },
}
const removes = (changes: Partial<StoredSeller>, before: Partial<StoredSeller> = {}) =>
  removesControl({ ...seller, ...before }, { ...seller, ...before, ...changes }, now)
const settings = (changes: Partial<SellerSettings>) => ({ settings: { ...seller.settings, ...changes } })

describe("whether a change of a seller removes a control on live money", () => {
  for (const [name, more] of [
    ["chargeFeeBps", false],
    ["chargeFeeFixed", false],
    ["withdrawalFee", false],
    ["reserveBps", false],
    ["reserveDays", false],
    ["withdrawalDailyValue", true],
    ["withdrawalDailyCount", true],
  ] as const) {
    it(`${more ? "a higher" : "a lower"} ${name} does, the opposite does not`, () => {
      const value = seller.settings[name]
      expect(removes(settings({ [name]: value + 1 }))).toBe(more)
      expect(removes(settings({ [name]: value - 1 }))).toBe(!more)
      expect(removes(settings({ [name]: value }))).toBe(false)
    })
  }

  it("automatic approval does, and its end does not", () => {
    expect(removes(settings({ withdrawalAutoApproval: true }))).toBe(true)
    const automatic = settings({ withdrawalAutoApproval: true })
    expect(removes(settings({ withdrawalAutoApproval: false }), automatic)).toBe(false)
  })

  it("an earlier end of a lock, or none, does; a later one, and what has run out already, does not", () => {
    const locked = { payoutLockedUntilMillis: now + 10 }
    expect(removes({ payoutLockedUntilMillis: undefined }, locked)).toBe(true)
    expect(removes({ payoutLockedUntilMillis: now + 9 }, locked)).toBe(true)
    expect(removes({ payoutLockedUntilMillis: now + 11 }, locked)).toBe(false)
    expect(removes(locked)).toBe(false)
    expect(removes({ payoutLockedUntilMillis: undefined }, { payoutLockedUntilMillis: now })).toBe(false)
  })

  it("the end of a suspension and the approval of an identification do, their opposites do not", () => {
    expect(removes({ status: "active" }, { status: "suspended" })).toBe(true)
    expect(removes({ status: "suspended" })).toBe(false)
    expect(removes({ kycStatus: "approved" })).toBe(true)
    expect(removes({ kycStatus: "rejected" }, { kycStatus: "approved" })).toBe(false)
  })

  it("of two different settings, one way or the other removes a control", () => {
    const amount = fc.integer({ min: 0, max: 3 })
    const some = fc.record({
      ...{ chargeFeeBps: amount, chargeFeeFixed: amount, reserveBps: amount, reserveDays: amount },
      ...{ withdrawalFee: amount, withdrawalDailyValue: amount, withdrawalDailyCount: amount },
      withdrawalAutoApproval: fc.boolean(),
    })
    fc.assert(
      fc.property(some, some, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other)
        const thereOrBack =
          removes({ settings: other }, { settings: one }) || removes({ settings: one }, { settings: other })
        expect(thereOrBack).toBe(!isSame)
      }),
    )
  })
})
