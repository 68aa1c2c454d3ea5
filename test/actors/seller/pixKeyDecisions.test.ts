import { describe, expect, it } from "vitest"
import type { StoredPixKey } from "../../../actors/ports/pixKeyStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import {
  decidePixKey,
  decideRegistration,
  shownPixKey,
} from "../../../actors/seller/decisions/pixKeyDecisions.ts"
import { ApiError } from "../../../schema/errors.ts"
import { kycStatuses } from "../../../schema/resources/seller.ts"

const nowMillis = Date.parse("2026-11-21T00:07:35.123Z")
const cpf = "52998224725"
const seller = {
  ...newStoredSeller({
    id: "sel_1",
    name: "Loja",
    userId: "u",
    kycStatus: "approved",
    createdAt: "2026-11-21T00:07:35.123Z",
  }),
  document: `~${cpf}`,
}
const open = (sealed: string) => (sealed.startsWith("~") ? sealed.slice(1) : undefined)
const evp = { type: "evp", value: "123E4567-E89B-12D3-A456-426614171234" } as const

describe("the registration of a PIX key", () => {
  it.each(kycStatuses)(
    "a PIX key in test is verified at once for a seller whose identification is %s",
    (kycStatus) => {
      for (const input of [evp, { type: "cpf", value: "111.444.777-35" } as const]) {
        const decision = decideRegistration(
          input,
          "test",
          { ...seller, kycStatus, document: undefined },
          open,
        )
        expect(decision).toMatchObject({ type: input.type, status: "verified" })
      }
    },
  )

  it("a PIX key in live waits for an operator, in its one spelling", () => {
    expect(decideRegistration(evp, "live", seller, open)).toEqual({
      type: "evp",
      plainValue: evp.value.toLowerCase(),
      maskedValue: "********-****-****-****-********1234",
      status: "pending_approval",
    })
  })

  it.each(kycStatuses.filter((status) => status !== "approved"))(
    "a PIX key in live is refused to a seller whose identification is %s",
    (kycStatus) => {
      expect(decideRegistration(evp, "live", { ...seller, kycStatus }, open)).toMatchObject({
        _tag: "ApiError",
        code: "kyc_required",
      })
    },
  )

  it("a CPF or CNPJ as a PIX key in live must be the seller's own document", () => {
    expect(decideRegistration({ type: "cpf", value: "529.982.247-25" }, "live", seller, open)).toMatchObject({
      plainValue: cpf,
      maskedValue: "***.982.247-**",
      status: "pending_approval",
    })
    const company = { ...seller, document: "~12ABC34501DE35" }
    expect(
      decideRegistration({ type: "cnpj", value: "12.abc.345/01de-35" }, "live", company, open),
    ).toMatchObject({
      plainValue: "12ABC34501DE35",
    })
    for (const [input, owner] of [
      [{ type: "cpf", value: "111.444.777-35" }, seller],
      [{ type: "cnpj", value: "11444777000161" }, seller],
      [
        { type: "cpf", value: cpf },
        { ...seller, document: undefined },
      ],
      [
        { type: "cpf", value: cpf },
        { ...seller, document: "another key's ciphertext" },
      ],
    ] as const) {
      const refused = decideRegistration(input, "live", owner, open)
      expect(refused).toBeInstanceOf(ApiError)
      expect(refused).toMatchObject({ code: "validation_failed", param: "value" })
      expect(JSON.stringify(refused)).not.toContain(input.value)
    }
  })

  it("the check digits of a PIX key are checked in both modes", () => {
    const wrong = { type: "cpf", value: "52998224724" } as const
    const owner = { ...seller, document: `~${wrong.value}` }
    for (const mode of ["live", "test"] as const) {
      const refused = decideRegistration(wrong, mode, owner, open)
      expect(refused).toMatchObject({ code: "validation_failed", param: "value" })
    }
  })

  it("the form of a PIX key is checked in both modes, before the identification", () => {
    for (const mode of ["live", "test"] as const) {
      const unidentified = { ...seller, kycStatus: "none" as const }
      expect(decideRegistration({ type: "evp", value: "x" }, mode, unidentified, open)).toMatchObject({
        code: "validation_failed",
        param: "value",
      })
    }
  })
})

const pixKey: StoredPixKey = {
  id: "pk_1",
  sellerId: "sel_1",
  mode: "live",
  type: "email",
  value: "ciphertext",
  valueHash: "hash",
  maskedValue: "a***@example.com",
  status: "pending_approval",
  version: 1,
  createdAt: "2026-11-21T00:00:00.000Z",
  verifiedAt: undefined,
}

describe("a decision on a PIX key", () => {
  it("a pending PIX key is verified at the time of the decision", () => {
    expect(decidePixKey(pixKey, "verified", nowMillis)).toEqual({
      pixKey,
      to: "verified",
      verifiedAt: "2026-11-21T00:07:35.123Z",
    })
  })

  it.each(["refused", "removed"] as const)(
    "a pending PIX key that becomes %s gets no time of verification",
    (to) => {
      expect(decidePixKey(pixKey, to, nowMillis)).toEqual({ pixKey, to, verifiedAt: undefined })
    },
  )

  it("a verified PIX key can be removed", () => {
    const verified = { ...pixKey, status: "verified" as const }
    expect(decidePixKey(verified, "removed", nowMillis)).toMatchObject({ to: "removed" })
  })

  it.each(["verified", "refused", "removed"] as const)(
    "a PIX key that is %s can no longer be verified or refused",
    (status) => {
      for (const to of ["verified", "refused"] as const) {
        expect(decidePixKey({ ...pixKey, status }, to, nowMillis)).toMatchObject({
          code: "invalid_state",
          details: { status },
        })
      }
    },
  )
})

describe("a PIX key as it is shown", () => {
  it("a PIX key is shown with its masked value, without its ciphertext and its hash", () => {
    expect(shownPixKey(pixKey)).toEqual({
      id: "pk_1",
      object: "pix_key",
      mode: "live",
      type: "email",
      value: "a***@example.com",
      status: "pending_approval",
      created_at: "2026-11-21T00:00:00.000Z",
      verified_at: null,
    })
  })
})
