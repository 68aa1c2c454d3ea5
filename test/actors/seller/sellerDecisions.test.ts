import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newStoredSeller, shownSettings, storedSettings } from "../../../actors/seller/decisions/newSeller.ts"
import {
  type DecideSeller,
  decideKyc,
  lockPayouts,
  lockWithoutSecondFactor,
  patchProfile,
  patchSettings,
  setStatus,
  submitKyc,
} from "../../../actors/seller/decisions/sellerDecisions.ts"
import { ApiError } from "../../../schema/errors.ts"
import { defaultSellerSettings, kycStatuses } from "../../../schema/resources/seller.ts"

const nowMillis = 1_800_000_000_000
const seller = newStoredSeller({
  id: "sel_1",
  name: "Loja",
  userId: "u",
  kycStatus: "none",
  createdAt: "2026-11-21T00:07:35.123Z",
})
const reverse = (text: string) => [...text].reverse().join("")
const cipher = { seal: (text: string) => `~${reverse(text)}`, open: (text: string) => reverse(text.slice(1)) }

const decided = (decide: DecideSeller<ApiError>, before = seller) => decide(before, nowMillis)

describe("a seller's changes", () => {
  it("a new name changes a seller and has an event; the same name does nothing", () => {
    const other = { ...seller, name: "Outra" }
    const rename = (name: string) => patchProfile({ name }, cipher)
    expect(decided(rename("Outra"))).toEqual({ seller: other, eventType: "seller.updated" })
    expect(decided(rename("Loja"))).toBeUndefined()
    expect(decided(patchProfile({}, cipher))).toBeUndefined()
  })

  it("a new status changes a seller and has an event; the same status does nothing", () => {
    const suspended = { ...seller, status: "suspended" as const }
    expect(decided(setStatus("suspended"))).toEqual({ seller: suspended, eventType: "seller.updated" })
    expect(decided(setStatus("suspended"), suspended)).toBeUndefined()
    expect(decided(setStatus("active"), suspended)).toEqual({ seller, eventType: "seller.updated" })
  })

  it.each(kycStatuses)("an operator can approve or reject an identification that is %s", (kycStatus) => {
    for (const status of ["approved", "rejected"] as const) {
      const known = { ...seller, document: "~90987654321" }
      const wanted =
        status === kycStatus
          ? undefined
          : { seller: { ...known, kycStatus: status }, eventType: `seller.kyc_${status}` }
      expect(decided(decideKyc(status), { ...known, kycStatus })).toEqual(wanted)
    }
  })

  it.each(["none", "pending", "rejected"] as const)(
    "an identification that is %s cannot be approved without a document",
    (kycStatus) => {
      expect(decided(decideKyc("approved"), { ...seller, kycStatus })).toMatchObject({
        code: "invalid_state",
      })
    },
  )

  it.each(kycStatuses)("the document of a seller whose identification is %s can be set once", (kycStatus) => {
    const set = (document: string) => patchProfile({ document, name: "Outra" }, cipher)
    // Approved without a legal name, its name was what an operator approved: payers go on seeing it.
    const legalName = kycStatus === "approved" ? seller.name : undefined
    const known = { ...seller, kycStatus, name: "Outra", legalName, document: "~90987654321" }
    expect(decided(set("123.456.789-09"), { ...seller, kycStatus })).toEqual({
      seller: known,
      eventType: "seller.updated",
    })
    expect(decided(set("12345678909"), known)).toBeUndefined()
    expect(decided(set("529.982.247-25"), known)).toMatchObject({ code: "invalid_state", param: "document" })
    const wrong = { code: "validation_failed", param: "document" }
    expect(decided(set("123.456.789-08"), { ...seller, kycStatus })).toMatchObject(wrong)
  })

  it("an approval is refused where the seller has submitted another legal name than the operator saw", () => {
    const pending = { ...seller, kycStatus: "pending", document: "~1", legalName: "Ana Souza Ltda" } as const
    expect(decided(decideKyc("approved", "Banco do Povo"), pending)).toMatchObject({
      ...{ code: "invalid_state", param: "legal_name" },
    })
    for (const seen of ["Ana Souza Ltda", undefined]) {
      expect(decided(decideKyc("approved", seen), pending)).toMatchObject({
        seller: { kycStatus: "approved" },
      })
    }
    expect(decided(decideKyc("rejected", "Banco do Povo"), pending)).toMatchObject({
      ...{ seller: { kycStatus: "rejected" } },
    })
  })

  it("a new display name changes no legal name, and no name that was approved", () => {
    const rename = (name: string) => patchProfile({ name }, cipher)
    const approved = { ...seller, kycStatus: "approved", legalName: "Ana Souza Ltda" } as const
    expect(decided(rename("Outra"), approved)).toMatchObject({
      seller: { name: "Outra", legalName: "Ana Souza Ltda" },
    })
    const pending = { ...approved, kycStatus: "pending" } as const
    expect(decided(rename("Outra"), pending)).toMatchObject({ seller: { legalName: "Ana Souza Ltda" } })
    const unnamed = { ...approved, legalName: undefined }
    expect(decided(rename("Outra"), unnamed)).toMatchObject({ seller: { legalName: seller.name } })
    expect(decided(rename(seller.name), unnamed)).toBeUndefined()
  })

  it("a patch of a seller's settings changes the given ones and leaves the others", () => {
    const settings = fc.record({
      charge_fee_bps: fc.nat(),
      charge_fee_fixed: fc.nat(),
      reserve_bps: fc.nat(),
      reserve_days: fc.nat(),
      withdrawal_fee: fc.nat(),
      withdrawal_daily_value: fc.nat(),
      withdrawal_daily_count: fc.nat(),
      withdrawal_auto_approval: fc.boolean(),
    })
    const names = Object.keys(defaultSellerSettings)
    fc.assert(
      fc.property(settings, settings, fc.subarray(names), (before, wanted, changed) => {
        expect(shownSettings(storedSettings(before))).toEqual(before)
        const patch = Object.fromEntries(Object.entries(wanted).filter(([name]) => changed.includes(name)))
        const decision = decided(patchSettings(patch), { ...seller, settings: storedSettings(before) })
        const after = { ...before, ...patch }
        if (decision === undefined) expect(after).toEqual(before)
        else
          expect(decision).toEqual({
            seller: { ...seller, settings: storedSettings(after) },
            eventType: "seller.updated",
          })
        if (JSON.stringify(after) !== JSON.stringify(before)) expect(decision).toBeDefined()
      }),
    )
    expect(decided(patchSettings({}))).toBeUndefined()
  })
})

describe("a lock of withdrawals", () => {
  const locked = (untilMillis: number | undefined) => ({ ...seller, payoutLockedUntilMillis: untilMillis })

  it("a lock of withdrawals gets any future end; the same end does nothing", () => {
    const decision = { seller: locked(nowMillis + 1), eventType: "seller.payout_locked" }
    expect(decided(lockPayouts(nowMillis + 1))).toEqual(decision)
    expect(decided(lockPayouts(nowMillis + 1), locked(nowMillis + 2))).toEqual(decision)
    expect(decided(lockPayouts(nowMillis + 1), locked(nowMillis + 1))).toBeUndefined()
  })

  it("a lock of withdrawals is refused when its end is not in the future", () => {
    for (const before of [seller, locked(nowMillis)]) {
      const refused = decided(lockPayouts(nowMillis), before)
      expect(refused).toBeInstanceOf(ApiError)
      expect(refused).toMatchObject({ code: "validation_failed", param: "until" })
    }
  })

  it("unlocking withdrawals ends a lock that still holds and otherwise does nothing", () => {
    const decision = { seller, eventType: "seller.updated" }
    expect(decided(lockPayouts(undefined), locked(nowMillis + 1))).toEqual(decision)
    expect(decided(lockPayouts(undefined), locked(nowMillis))).toBeUndefined()
    expect(decided(lockPayouts(undefined))).toBeUndefined()
  })

  it("turning off a second factor locks withdrawals and never shortens that lock", () => {
    const until = (millis: number) => ({ ...seller, recoveryLockedUntilMillis: millis })
    const decision = { seller: until(nowMillis + 5), eventType: "seller.payout_locked" }
    expect(decided(lockWithoutSecondFactor(nowMillis + 5))).toEqual(decision)
    expect(decided(lockWithoutSecondFactor(nowMillis + 5), until(nowMillis + 4))).toEqual(decision)
    for (const before of [nowMillis + 5, nowMillis + 6]) {
      expect(decided(lockWithoutSecondFactor(nowMillis + 5), until(before))).toBeUndefined()
    }
  })

  it("the lock of a recovery stays when an operator unlocks withdrawals", () => {
    const both = { ...locked(nowMillis + 1), recoveryLockedUntilMillis: nowMillis + 5 }
    expect(decided(lockPayouts(undefined), both)).toMatchObject({
      seller: { recoveryLockedUntilMillis: nowMillis + 5 },
    })
  })
})

describe("an identification", () => {
  const input = { document: "123.456.789-09", legalName: "Ana Souza" }

  it.each(["none", "pending", "rejected"] as const)(
    "a seller whose identification is %s can submit one",
    (kycStatus) => {
      expect(decided(submitKyc(input, cipher), { ...seller, kycStatus })).toEqual({
        seller: { ...seller, kycStatus: "pending", document: "~90987654321", legalName: "Ana Souza" },
        eventType: "seller.updated",
      })
    },
  )

  it("an identification cannot be submitted again once approved", () => {
    const refused = decided(submitKyc(input, cipher), { ...seller, kycStatus: "approved" })
    expect(refused).toMatchObject({ code: "invalid_state" })
  })

  it.each(["123.456.789-08", "111.111.111-11", "12.ABC.345/01DE-34"])(
    "an identification with the wrong check digits of %s is refused in every state",
    (document) => {
      for (const kycStatus of kycStatuses) {
        const refused = decided(submitKyc({ ...input, document }, cipher), { ...seller, kycStatus })
        expect(refused).toMatchObject({ code: "validation_failed", param: "document" })
      }
    },
  )

  it("an identification can have an alphanumeric CNPJ", () => {
    const decision = decided(submitKyc({ ...input, document: "12.ABC.345/01DE-35" }, cipher))
    expect(decision).toMatchObject({ seller: { document: "~53ED10543CBA21" } })
  })

  it("a rejected identification can be submitted again unchanged", () => {
    const rejected = {
      ...seller,
      kycStatus: "rejected" as const,
      document: "~90987654321",
      legalName: "Ana Souza",
    }
    expect(decided(submitKyc(input, cipher), rejected)).toMatchObject({ seller: { kycStatus: "pending" } })
  })
})
