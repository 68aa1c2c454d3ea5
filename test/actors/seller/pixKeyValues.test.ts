import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { maskedPixKeyValue, pixKeyValue } from "../../../actors/seller/decisions/pixKeyValues.ts"
import { ApiError } from "../../../schema/errors.ts"
import { type PixKeyType, pixKeyTypes } from "../../../schema/resources/pixKey.ts"
import { runsOf } from "../../support/sizes.ts"

const at77 = `${"a".repeat(65)}@example.com`

describe("a PIX key's value", () => {
  it.each<readonly [PixKeyType, string, string, string]>([
    ["cpf", "123.456.789-09", "12345678909", "***.456.789-**"],
    ["cpf", " 12345678909 ", "12345678909", "***.456.789-**"],
    ["cnpj", "12.345.678/0001-95", "12345678000195", "**.345.678/0001-**"],
    ["cnpj", "12.abc.345/01de-35", "12ABC34501DE35", "**.ABC.345/01DE-**"],
    ["email", "Ana@Example.COM", "ana@example.com", "a***@example.com"],
    ["email", at77, at77, "a***@example.com"],
    ["email", `ana@${"a".repeat(63)}.com`, `ana@${"a".repeat(63)}.com`, `a***@${"a".repeat(63)}.com`],
    ["phone", "+55 (11) 98765-9999", "+5511987659999", "+55*******9999"],
    ["phone", "+12.025.550.123", "+12025550123", "+12*****0123"],
    ["phone", "+123456789012345", "+123456789012345", "+12*********2345"],
    [
      "evp",
      "123E4567-E89B-12D3-A456-426614171234",
      "123e4567-e89b-12d3-a456-426614171234",
      "********-****-****-****-********1234",
    ],
  ])("a PIX key of type %s given as %s is stored as %s and shown as %s", (type, text, value, shown) => {
    expect(pixKeyValue(type, text)).toBe(value)
    expect(maskedPixKeyValue(type, value)).toBe(shown)
  })

  it.each<readonly [PixKeyType, string]>([
    ["cpf", "1234567890"],
    ["cpf", "123456789091"],
    ["cpf", "1234567890a"],
    ["cpf", "12345678000195"],
    ["cnpj", "1234567800019"],
    ["cnpj", "123456780001950"],
    ["cnpj", "123456780001A5"],
    ["cnpj", "12345678909"],
    ["email", "ana"],
    ["email", "ana@example"],
    ["email", `ana@${"a".repeat(64)}.com`],
    ["email", "ana@example..com"],
    ["email", "ana souza@example.com"],
    ["email", "ana@b@example.com"],
    ["email", `a${at77}`],
    ["phone", "5521912345678"],
    ["phone", "21912345678"],
    ["phone", "+1234567890"],
    ["phone", "+1234567890123456"],
    ["phone", "+05511987654321"],
    ["phone", "+55 11 9876x4321"],
    ["phone", "++5511987654321"],
    ["evp", "123e4567e89b12d3a456426614171234"],
    ["evp", "123e4567-e89b-12d3-a456-42661417123"],
    ["evp", "123e4567-e89b-12d3-a456-42661417123g"],
    ["evp", "{123e4567-e89b-12d3-a456-426614171234}"],
  ])("a PIX key of type %s is refused for %s, which the error does not repeat", (type, text) => {
    const refused = pixKeyValue(type, text)
    expect(refused).toBeInstanceOf(ApiError)
    expect(refused).toMatchObject({ code: "validation_failed", param: "value" })
    expect(JSON.stringify(refused)).not.toContain(text)
  })
})

const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`))
const spread = (text: string, between: ReadonlyArray<string>): string =>
  [...text].map((character, i) => character + (between[i % between.length] ?? "")).join("")
const punctuated = (text: fc.Arbitrary<string>, ...marks: ReadonlyArray<string>) =>
  fc
    .tuple(text, fc.array(fc.constantFrom("", ...marks), { minLength: 1, maxLength: 5 }))
    .map(([plain, between]) => spread(plain, between))
const local = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9.*+_-]{1,20}$/),
  fc.stringMatching(/^[a*.]{1,4}$/),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).filter((text) => !/[\s@]/.test(text)),
)

/** Valid values of each type, as people may write them. */
const texts: Readonly<Record<PixKeyType, fc.Arbitrary<string>>> = {
  cpf: punctuated(digits(11), ".", "-", " "),
  cnpj: punctuated(fc.stringMatching(/^[0-9A-Za-z]{12}\d{2}$/), ".", "-", "/", " "),
  email: fc
    .tuple(local, fc.stringMatching(/^[a-zA-Z0-9-]{1,10}\.[a-zA-Z*]{2,5}$/))
    .map((parts) => parts.join("@")),
  phone: punctuated(fc.stringMatching(/^\+[1-9]\d{10,14}$/), " ", ".", "-", "(", ")"),
  evp: fc.uuid().chain((uuid) => fc.constantFrom(uuid, uuid.toUpperCase())),
}

describe.each(pixKeyTypes)("any value of type %s", (type) => {
  const valueOf = (text: string): string => {
    const value = pixKeyValue(type, text)
    if (value instanceof ApiError) throw value
    return value
  }

  it(`a normalised PIX key of type ${type} does not change when normalised again`, () => {
    fc.assert(
      fc.property(texts[type], (text) => {
        const value = valueOf(text)
        expect(valueOf(value)).toBe(value)
      }),
      { numRuns: runsOf(500) },
    )
  })

  it(`a PIX key of type ${type} is never shown whole`, () => {
    fc.assert(
      fc.property(texts[type], (text) => {
        const value = valueOf(text)
        expect(maskedPixKeyValue(type, value)).not.toContain(value)
      }),
      { numRuns: runsOf(500) },
    )
  })
})

describe("any text as a PIX key's value", () => {
  it("any text is a PIX key in its one spelling, or is refused with the param value", () => {
    fc.assert(
      fc.property(fc.constantFrom(...pixKeyTypes), fc.string({ maxLength: 120 }), (type, text) => {
        const value = pixKeyValue(type, text)
        if (value instanceof ApiError)
          expect([value.code, value.param]).toEqual(["validation_failed", "value"])
        else expect(pixKeyValue(type, value)).toBe(value)
      }),
      { numRuns: runsOf(1_000) },
    )
  })
})
