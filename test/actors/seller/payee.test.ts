import { describe, expect, it } from "vitest"
import { approvedNameOf, payeeOf } from "../../../actors/seller/decisions/payee.ts"
import { kycStatuses } from "../../../schema/resources/seller.ts"

describe("the names that payers see", () => {
  it("a legal name is what payers see once it is approved, and not before or after", () => {
    for (const kycStatus of kycStatuses) {
      const seller = { kycStatus, name: "Loja da Ana", legalName: "Ana Souza Ltda" }
      const approved = kycStatus === "approved" ? "Ana Souza Ltda" : undefined
      expect([kycStatus, approvedNameOf(seller)]).toEqual([kycStatus, approved])
      expect(payeeOf(seller)).toEqual({ name: "Loja da Ana", legalName: approved })
    }
  })

  it("a legal name that is the display name is shown once, and a seller without one has its display name", () => {
    const seller = { kycStatus: "approved", name: "Ana Souza Ltda", legalName: "Ana Souza Ltda" } as const
    expect(payeeOf(seller)).toEqual({ name: "Ana Souza Ltda", legalName: undefined })
    expect(payeeOf({ ...seller, legalName: undefined })).toEqual({
      ...{ name: "Ana Souza Ltda", legalName: undefined },
    })
  })
})
