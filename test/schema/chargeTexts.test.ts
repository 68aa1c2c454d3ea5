import { describe, expect, it } from "vitest"
import { formatDocument, orderOf } from "../../schema/chargeTexts.ts"

describe("texts of a charge", () => {
  it("an order is named by the member of metadata that shops use for it", () => {
    expect(orderOf({ reference: null, metadata: { order: "1042", colour: "red" } })).toBe("1042")
    expect(orderOf({ reference: null, metadata: { order_id: 7 } })).toBe("7")
    expect(orderOf({ reference: null, metadata: { reference: "r", order: "o" } })).toBe("r")
    expect(orderOf({ reference: null, metadata: {} })).toBe("")
    expect(orderOf({ reference: "A-1", metadata: { order: "1042" } })).toBe("A-1")
  })

  it("a CPF and a CNPJ have their punctuation, and another text stays", () => {
    expect(["02998224725", "12ABC34501DE35", "erased"].map(formatDocument)).toEqual([
      "029.982.247-25",
      "12.ABC.345/01DE-35",
      "erased",
    ])
  })
})
