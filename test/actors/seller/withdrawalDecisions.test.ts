import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { StoredPixKey } from "../../../actors/ports/pixKeyStore.ts"
import type { StoredSeller } from "../../../actors/ports/sellerStore.ts"
import type { WithdrawalPreconditions } from "../../../actors/ports/withdrawalStore.ts"
import { initialSettings, newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { decideWithdrawal, withdrawalDay } from "../../../actors/seller/decisions/withdrawalDecisions.ts"
import { ApiError } from "../../../schema/errors.ts"
import type { Mode } from "../../../schema/ids.ts"
import { pixKeyStatuses } from "../../../schema/resources/pixKey.ts"
import { nowMillis, nowText, sellerId } from "../support/charges.ts"
import { pixKeyId, withdrawalId } from "../support/withdrawals.ts"

const settings = { ...initialSettings, withdrawalFee: 100, withdrawalDailyValue: 5_000_000 }
const seller: StoredSeller = {
  ...newStoredSeller({
    id: sellerId,
    name: "Loja Um",
    userId: "6c0f1f0e-7a1b-4f0e-9a43-1d2b3c4d5e6f",
    kycStatus: "approved",
    createdAt: nowText,
  }),
  settings,
}
const pixKey: StoredPixKey = {
  id: pixKeyId,
  sellerId,
  mode: "live",
  type: "cpf",
  value: "enc:v2:0:sealed",
  valueHash: "hash",
  maskedValue: "***.982.247-**",
  status: "verified",
  version: 1,
  createdAt: nowText,
  verifiedAt: nowText,
}

/** Preconditions under which 1,000 centavos may be withdrawn. */
const fine: WithdrawalPreconditions = {
  seller,
  pixKey,
  available: 1_100,
  openWithdrawalId: undefined,
  day: { value: 0, count: 0 },
}
const amount = 1_000

const decide = (preconditions: Partial<WithdrawalPreconditions>, of = amount, mode: Mode = "live") =>
  decideWithdrawal(of, mode, { ...fine, ...preconditions }, nowMillis)

/** Status, code and details of the refusal, or `allowed`. */
const refusalOf = (decision: ReturnType<typeof decide>) =>
  decision instanceof ApiError
    ? { status: decision.status, code: decision.code, details: decision.details }
    : "allowed"
const refusal = (preconditions: Partial<WithdrawalPreconditions>, of = amount, mode: Mode = "live") =>
  refusalOf(decide(preconditions, of, mode))

const lockedUntil = (changes: Partial<StoredSeller>) => refusal({ seller: { ...seller, ...changes } })

describe("an allowed withdrawal", () => {
  it("an allowed withdrawal goes to the PIX key, and its fee is charged on top", () => {
    expect(decide({})).toEqual({ pixKey, fee: 100, total: 1_100, isApproved: false })
    const automatic = { ...seller, settings: { ...settings, withdrawalAutoApproval: true, withdrawalFee: 0 } }
    expect(decide({ seller: automatic })).toEqual({ pixKey, fee: 0, total: 1_000, isApproved: true })
  })
})

describe("the preconditions of a withdrawal", () => {
  it("a withdrawal is refused to a suspended seller", () => {
    expect(refusal({ seller: { ...seller, status: "suspended" } })).toEqual({
      status: 403,
      code: "seller_not_allowed",
      details: undefined,
    })
  })

  it("a withdrawal is refused without an approved identification, in live only", () => {
    for (const kycStatus of ["none", "pending", "rejected"] as const) {
      const unidentified = { seller: { ...seller, kycStatus } }
      expect(refusal(unidentified)).toEqual({ status: 403, code: "kyc_required", details: undefined })
      expect(refusal(unidentified, amount, "test")).toBe("allowed")
    }
  })

  it("a withdrawal is refused until its lock by operators or a recovery ends, to the millisecond", () => {
    for (const lock of ["payoutLockedUntilMillis", "recoveryLockedUntilMillis"] as const) {
      expect(lockedUntil({ [lock]: nowMillis + 1 })).toEqual({
        status: 403,
        code: "payout_locked",
        details: { locked_until: new Date(nowMillis + 1).toISOString() },
      })
      expect(lockedUntil({ [lock]: nowMillis })).toBe("allowed")
    }
    expect(
      lockedUntil({ payoutLockedUntilMillis: nowMillis + 1, recoveryLockedUntilMillis: nowMillis + 2 }),
    ).toMatchObject({ details: { locked_until: new Date(nowMillis + 2).toISOString() } })
  })

  it("a withdrawal is refused unless its PIX key is verified", () => {
    const refused = { status: 409, code: "pix_key_not_verified", details: undefined }
    expect(refusal({ pixKey: undefined })).toEqual(refused)
    for (const status of pixKeyStatuses) {
      expect(refusal({ pixKey: { ...pixKey, status } })).toEqual(status === "verified" ? "allowed" : refused)
    }
  })

  it("a withdrawal of less than 100 centavos is refused", () => {
    expect(refusal({ available: 10_000 }, 100)).toBe("allowed")
    expect(refusal({ available: 10_000 }, 99)).toEqual({
      status: 409,
      code: "insufficient_balance",
      details: { available: 10_000, amount: 99, fee: 100, total: 199, minimum: 100 },
    })
  })

  it("a withdrawal is refused when amount and fee exceed what is available", () => {
    expect(refusal({ available: 1_100 })).toBe("allowed")
    for (const available of [1_099, 1_000, 0, -5]) {
      expect(refusal({ available })).toEqual({
        status: 409,
        code: "insufficient_balance",
        details: { available, amount: 1_000, fee: 100, total: 1_100, minimum: 100 },
      })
    }
  })

  it("a withdrawal is refused beyond the day's value, of which fees are no part", () => {
    const limit = settings.withdrawalDailyValue
    expect(refusal({ day: { value: limit - 1_000, count: 1 } })).toBe("allowed")
    expect(refusal({ day: { value: limit - 999, count: 1 } })).toEqual({
      status: 409,
      code: "daily_limit_exceeded",
      details: { reason: "daily_value_limit", limit, used: limit - 999 },
    })
    expect(refusal({ available: limit + 100 }, limit)).toBe("allowed")
    expect(refusal({ available: limit + 101 }, limit + 1)).toMatchObject({ code: "daily_limit_exceeded" })
  })

  it("a withdrawal is refused beyond the day's count, by default 20", () => {
    expect(refusal({ day: { value: 0, count: 19 } })).toBe("allowed")
    expect(refusal({ day: { value: 0, count: 20 } })).toEqual({
      status: 409,
      code: "daily_limit_exceeded",
      details: { reason: "daily_count_limit", limit: 20, used: 20 },
    })
    const fewer = { ...seller, settings: { ...settings, withdrawalDailyCount: 1 } }
    expect(refusal({ seller: fewer, day: { value: 0, count: 1 } })).toMatchObject({
      details: { reason: "daily_count_limit", limit: 1, used: 1 },
    })
  })

  it("a withdrawal is refused while another one is in progress", () => {
    expect(refusal({ openWithdrawalId: withdrawalId })).toEqual({
      status: 409,
      code: "invalid_state",
      details: { reason: "withdrawal_in_progress", withdrawal_id: withdrawalId },
    })
  })
})

/** A change that fails each precondition, in the order of docs/contract/withdrawals.md#preconditions. */
const failures: ReadonlyArray<
  readonly [code: string, (preconditions: WithdrawalPreconditions) => WithdrawalPreconditions]
> = [
  ["seller_not_allowed", (now) => ({ ...now, seller: { ...now.seller, status: "suspended" } })],
  ["kyc_required", (now) => ({ ...now, seller: { ...now.seller, kycStatus: "pending" } })],
  ["payout_locked", (now) => ({ ...now, seller: { ...now.seller, payoutLockedUntilMillis: nowMillis + 1 } })],
  ["pix_key_not_verified", (now) => ({ ...now, pixKey: undefined })],
  ["insufficient_balance", (now) => ({ ...now, available: 1_099 })],
  ["daily_limit_exceeded", (now) => ({ ...now, day: { ...now.day, count: 20 } })],
  ["invalid_state", (now) => ({ ...now, openWithdrawalId: withdrawalId })],
]

describe("several failed preconditions", () => {
  it("a withdrawal is refused for the first failed precondition of the contract's order", () => {
    for (let bits = 0; bits < 2 ** failures.length; bits++) {
      const failing = failures.filter((_, index) => (bits >> index) & 1)
      const preconditions = failing.reduce((now, [, fail]) => fail(now), fine)
      const decision = decide(preconditions)

      expect(decision instanceof ApiError ? decision.code : undefined).toBe(failing[0]?.[0])
    }
  })

  it("a withdrawal beyond the day's value and its count is refused for the value", () => {
    expect(refusal({ day: { value: settings.withdrawalDailyValue, count: 20 } })).toMatchObject({
      details: { reason: "daily_value_limit" },
    })
  })
})

describe("the day that a withdrawal counts in", () => {
  it.each([
    ["2026-11-21T02:59:59.999Z", "2026-11-20"],
    ["2026-11-21T03:00:00.000Z", "2026-11-21"],
    ["2027-01-01T02:59:59.999Z", "2026-12-31"],
    ["2027-01-01T03:00:00.000Z", "2027-01-01"],
    ["2028-02-29T12:00:00.000Z", "2028-02-29"],
    ["2028-03-01T02:59:59.999Z", "2028-02-29"],
  ])("a withdrawal at %s counts on %s, the day in America/Sao_Paulo", (text, day) => {
    expect(withdrawalDay(Date.parse(text))).toBe(day)
  })

  it("a withdrawal's day is the date three hours behind UTC", () => {
    const years = { min: Date.parse("2020-01-01T00:00:00Z"), max: Date.parse("2027-01-01T00:00:00Z") }
    fc.assert(
      fc.property(fc.integer(years), (millis) => {
        const behind = new Date(millis - 3 * 60 * 60 * 1_000).toISOString().slice(0, 10)

        expect(withdrawalDay(millis)).toBe(behind)
      }),
    )
  })
})
