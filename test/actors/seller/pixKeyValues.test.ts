import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { maskedPixKeyValue, pixKeyValue } from "../../../actors/seller/decisions/pixKeyValues.ts"
import { isTaxDocument } from "../../../actors/seller/decisions/taxDocument.ts"
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
    ["phone", "+55 (11) 9.8765-9999", "+5511987659999", "+55*******9999"],
    ["phone", "+55 21 2345-6789", "+552123456789", "+55******6789"],
    ["phone", "+55 99 5345-6789", "+559953456789", "+55******6789"],
    [
      "email",
      "a.!#$'*+/=?^_`{|}~-z@xn--so-joo-eua.com.br",
      "a.!#$'*+/=?^_`{|}~-z@xn--so-joo-eua.com.br",
      "a***@xn--so-joo-eua.com.br",
    ],
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
    ["cpf", "12345678900"],
    ["cpf", "00000000000"],
    ["cpf", "11111111111"],
    ["cnpj", "1234567800019"],
    ["cnpj", "123456780001950"],
    ["cnpj", "123456780001A5"],
    ["cnpj", "12345678909"],
    ["cnpj", "12345678000196"],
    ["cnpj", "00000000000000"],
    ["cnpj", "11111111111111"],
    ["cnpj", "12ABC34501DE36"],
    ["email", "ana"],
    ["email", "ana@example"],
    ["email", `ana@${"a".repeat(64)}.com`],
    // The sign for kelvin is no k, though Unicode's lower case of it is.
    ["email", "\u212aate@example.com"],
    ["email", "ana@example..com"],
    ["email", "ana souza@example.com"],
    ["email", "ana@b@example.com"],
    ["email", `a${at77}`],
    ["email", "joão@example.com"],
    ["email", "joa\u0303o@example.com"],
    ["email", "ana@exãmple.com"],
    ["email", '"ana"@example.com'],
    ["email", "“ana”@example.com"],
    ["email", "ana&bia@example.com"],
    ["email", "ana@-example.com"],
    ["email", "ana@example-.com"],
    ["email", "@example.com"],
    ["phone", "5521912345678"],
    ["phone", "21912345678"],
    ["phone", "+12025550123"],
    ["phone", "+351912345678"],
    ["phone", "+5500987654321"],
    ["phone", "+5510987654321"],
    ["phone", "+5520987654321"],
    ["phone", "+5523987654321"],
    ["phone", "+5590987654321"],
    ["phone", "+552198765432"],
    ["phone", "+55119876543210"],
    ["phone", "+5511887654321"],
    ["phone", "+551112345678"],
    ["phone", "+551162345678"],
    ["phone", "+55112345678"],
    ["phone", "+5508007654321"],
    ["phone", "+05511987654321"],
    ["phone", "+55 11 9876x4321"],
    ["phone", "++5511987654321"],
    ["evp", "123e4567e89b12d3a456426614171234"],
    ["evp", "123e4567-e89b-12d3-a456-42661417123"],
    ["evp", "123e4567-e89b-12d3-a456-42661417123g"],
    ["evp", "{123e4567-e89b-12d3-a456-426614171234}"],
    ["evp", "00000000-0000-0000-0000-000000000000"],
  ])("a PIX key of type %s is refused for %s, which the error does not repeat", (type, text) => {
    const refused = pixKeyValue(type, text)
    expect(refused).toBeInstanceOf(ApiError)
    expect(refused).toMatchObject({ code: "validation_failed", param: "value" })
    expect(JSON.stringify(refused)).not.toContain(text)
  })
})

/** The document of these first characters: the one pair of check digits that it can have. */
const documents = (bases: fc.Arbitrary<string>) =>
  bases
    .filter((base) => new Set(base.toUpperCase()).size > 1)
    .map((base) => {
      const pairs = Array.from({ length: 100 }, (_, pair) => String(pair).padStart(2, "0"))
      return base + pairs.find((pair) => isTaxDocument(base.toUpperCase() + pair))
    })
const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`))
const spread = (text: string, between: ReadonlyArray<string>): string =>
  [...text].map((character, i) => character + (between[i % between.length] ?? "")).join("")
const punctuated = (text: fc.Arbitrary<string>, ...marks: ReadonlyArray<string>) =>
  fc
    .tuple(text, fc.array(fc.constantFrom("", ...marks), { minLength: 1, maxLength: 5 }))
    .map(([plain, between]) => spread(plain, between))
const local = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9.!#$'*+/=?^_`{|}~-]{1,20}$/),
  fc.stringMatching(/^[a*.]{1,4}$/),
)
/** The area codes of Brazil: 67 of the numbers of two digits. */
const areaCodes = [
  ...[11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38],
  ...[41, 42, 43, 44, 45, 46, 47, 48, 49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69],
  ...[71, 73, 74, 75, 77, 79, 81, 82, 83, 84, 85, 86, 87, 88, 89, 91, 92, 93, 94, 95, 96, 97, 98, 99],
]
const number = fc.oneof(fc.stringMatching(/^9\d{8}$/), fc.stringMatching(/^[2-5]\d{7}$/))

/** Valid values of each type, as people may write them. */
const texts: Readonly<Record<PixKeyType, fc.Arbitrary<string>>> = {
  cpf: punctuated(documents(digits(9)), ".", "-", " "),
  cnpj: punctuated(documents(fc.stringMatching(/^[0-9A-Za-z]{12}$/)), ".", "-", "/", " "),
  email: fc
    .tuple(local, fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?\.[a-zA-Z]{2,5}$/))
    .map((parts) => parts.join("@")),
  phone: punctuated(
    fc.tuple(fc.constantFrom(...areaCodes), number).map(([areaCode, rest]) => `+55${areaCode}${rest}`),
    ...[" ", ".", "-", "(", ")"],
  ),
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

const isAccepted = (type: PixKeyType, text: string): boolean => !(pixKeyValue(type, text) instanceof ApiError)

describe("the limits of PIX keys", () => {
  it("of the area codes 00 to 99 a phone key may have those of Brazil, and no other", () => {
    const accepted = Array.from({ length: 100 }, (_, code) => code).filter((code) =>
      isAccepted("phone", `+55${String(code).padStart(2, "0")}987654321`),
    )
    expect(accepted).toEqual(areaCodes)
  })

  it("a phone key has nine digits after its area code and begins with 9, or eight and begins with 2 to 5", () => {
    fc.assert(
      fc.property(fc.constantFrom(...areaCodes), fc.stringMatching(/^\d{6,11}$/), (areaCode, rest) => {
        const isNumber = rest.length === 9 ? rest.startsWith("9") : rest.length === 8 && /^[2-5]/.test(rest)
        expect(isAccepted("phone", `+55${areaCode}${rest}`)).toBe(isNumber)
      }),
      { numRuns: runsOf(500) },
    )
  })

  it("an e-mail key has 77 characters at most", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90 }), (length) => {
        expect(isAccepted("email", `${"a".repeat(length)}@example.com`)).toBe(length + 12 <= 77)
      }),
    )
  })

  it("an e-mail key has no character outside ASCII, and of ASCII those of the directory alone", () => {
    const allowed = /^[a-z0-9.!#$'*+/=?^_`{|}~-]$/i
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 1 }),
          fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
        ),
        (mark) => {
          expect(isAccepted("email", `a${mark}b@example.com`)).toBe(allowed.test(mark))
        },
      ),
      { numRuns: runsOf(1_000) },
    )
  })

  it("a CPF or CNPJ key has the check digits of its number, and no other pair", () => {
    const document = fc.oneof(
      documents(digits(9)).map((value) => ["cpf", value] as const),
      documents(fc.stringMatching(/^[0-9A-Z]{12}$/)).map((value) => ["cnpj", value] as const),
    )
    fc.assert(
      fc.property(document, fc.integer({ min: 1, max: 99 }), ([type, value], shift) => {
        const pair = String((Number(value.slice(-2)) + shift) % 100).padStart(2, "0")
        expect([isAccepted(type, value), isAccepted(type, value.slice(0, -2) + pair)]).toEqual([true, false])
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
