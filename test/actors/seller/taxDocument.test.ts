import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isTaxDocument } from "../../../actors/seller/decisions/taxDocument.ts"

describe("a CPF", () => {
  it.each(["52998224725", "11144477735", "12345678909", "00000000191", "98765432100"])(
    "the CPF %s is valid",
    (cpf) => {
      expect(isTaxDocument(cpf)).toBe(true)
    },
  )

  it.each([
    ["52998224724", "its last digit differs"],
    ["52998224735", "its first check digit differs"],
    ["52998224752", "its check digits are exchanged"],
    ["25998224725", "two digits are exchanged"],
    ["00000000000", "all digits are the same"],
    ["11111111111", "all digits are the same, and their check digits right"],
    ["99999999999", "all digits are the same, and their check digits right"],
  ])("the CPF %s is invalid: %s", (cpf) => {
    expect(isTaxDocument(cpf)).toBe(false)
  })
})

describe("a CNPJ", () => {
  // 00000000000191 is Banco do Brasil; 12ABC34501DE35 is the example of Receita Federal's alphanumeric form.
  it.each(["11444777000161", "00000000000191", "33000167000101", "12ABC34501DE35"])(
    "the CNPJ %s is valid",
    (cnpj) => {
      expect(isTaxDocument(cnpj)).toBe(true)
    },
  )

  it.each([
    ["11444777000162", "its last digit differs"],
    ["11444777000171", "its first check digit differs"],
    ["12ABC34501DE36", "its last digit differs"],
    ["12ABD34501DE35", "a letter differs"],
    ["12ACB34501DE35", "two letters are exchanged"],
    ["00000000000000", "all digits are the same"],
    ["11111111111111", "all digits are the same"],
  ])("the CNPJ %s is invalid: %s", (cnpj) => {
    expect(isTaxDocument(cnpj)).toBe(false)
  })
})

/** A check digit by the official rule: weights from the right, from 2 up to 9 (CNPJ) or without a limit (CPF). */
const checkDigitOf = (text: string, weightMax: number): number => {
  const sum = [...text].reverse().reduce((total, character, index) => {
    const weight = 2 + (index % (weightMax - 1))
    return total + (character.charCodeAt(0) - 48) * weight
  }, 0)
  const rest = sum % 11
  return rest < 2 ? 0 : 11 - rest
}
const completed = (base: string, weightMax: number): string => {
  const first = checkDigitOf(base, weightMax)
  return `${base}${first}${checkDigitOf(`${base}${first}`, weightMax)}`
}
const isMonotonous = (text: string) => new Set(text).size === 1

describe("check digits", () => {
  const cpfBases = fc.stringMatching(/^\d{9}$/)
  const cnpjBases = fc.stringMatching(/^[0-9A-Z]{12}$/)

  it("a CPF or CNPJ is valid with the check digits of the rule and with no other pair", () => {
    const base = fc.oneof(
      cpfBases.map((text) => completed(text, 12)),
      cnpjBases.map((text) => completed(text, 9)),
    )
    fc.assert(
      fc.property(base, fc.integer({ min: 1, max: 99 }), (document, shift) => {
        fc.pre(!isMonotonous(document))
        const pair = (Number(document.slice(-2)) + shift) % 100
        const other = document.slice(0, -2) + String(pair).padStart(2, "0")

        expect(isTaxDocument(document)).toBe(true)
        expect(isTaxDocument(other)).toBe(false)
      }),
      { numRuns: 500 },
    )
  })
})
