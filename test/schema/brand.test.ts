import { describe, expect, it } from "vitest"
import { contrastWithWhite, darkenedTo, inkOn } from "../../schema/colors.ts"
import { limits } from "../../schema/limits.ts"
import { isPayerName } from "../../schema/payerName.ts"

describe("a name that payers see", () => {
  it.each([
    "Ana",
    "Loja da Ana",
    "Pão & Cia. - Filial 2",
    "D'Ávila Móveis",
    "3 Corações",
    "Loja 1ª Opção",
    "Joa\u0303o",
    "ab",
    "a".repeat(limits.payerNameLengthMax),
  ])("may be %s", (name) => expect(isPayerName(name)).toBe(true))

  it.each([
    ["a letter alone", "A"],
    ["a letter more", "a".repeat(limits.payerNameLengthMax + 1)],
    ["parentheses, in which the approved name stands", "Loja (Banco do Brasil S.A.)"],
    ["brackets", "Loja [Banco]"],
    ["other parentheses", "Loja （Banco）"],
    ["a direction mark", "Loja \u202eanA"],
    ["a line break", "Loja\nda Ana"],
    ["two spaces", "Loja  da Ana"],
    ["a space at the end", "Loja "],
    ["a space at the start", " Loja"],
    ["a sign at the start", "-Loja"],
    ["Cyrillic letters that look Latin", "Ваnco"],
    ["an invisible character", "Lo\u200bja"],
    ["a picture", "Loja 🛍"],
    ["markup", "Loja <b>"],
    ["nothing", ""],
  ])("has not %s", (_, name) => expect(isPayerName(name)).toBe(false))
})

describe("colours of buttons", () => {
  it("contrast is that of WCAG", () => {
    expect(contrastWithWhite("#ffffff")).toBe(1)
    expect(contrastWithWhite("#000000")).toBe(21)
    expect(contrastWithWhite("#767676")).toBeCloseTo(4.54, 2)
  })

  it("a darker shade has the contrast asked for, and a dark colour stays", () => {
    for (const color of ["#ffffff", "#ffe600", "#00e5ff", "#f28b82"]) {
      expect([color, contrastWithWhite(darkenedTo(3, color)) >= 3]).toEqual([color, true])
    }
    expect(darkenedTo(3, "#7a3cff")).toBe("#7a3cff")
    expect(inkOn(darkenedTo(3, "#ffe600"))).toBe("#000000")
  })
})
