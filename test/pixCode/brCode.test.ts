import fc from "fast-check"
import { isDynamicPix, parsePix } from "pix-utils"
import { describe, expect, it } from "vitest"
import { BrCodeInvalid, buildBrCode, crc16, makeBrCodeBuilder } from "../../src/pixCode/brCode.ts"
import { anyCodePoint } from "../support/anyCodePoint.ts"

const MERCHANT = { merchantName: "Padaria São João", merchantCity: "São Paulo" }
const LOCATION = "pix.corrente.test/qr/v2/0123456789abcdef0123456789abcdef"

const arbitraryLocation = fc.stringMatching(/^[0-9a-f]{32}$/).map((hex) => `pix.corrente.test/qr/v2/${hex}`)
const arbitraryText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: anyCodePoint, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(..."aZ9 áÉîõÜçñ&.-'ßØ—🍕👩‍🍳\t\n\u0301"), maxLength: 60 }),
)

describe("buildBrCode", () => {
  it("buildBrCode builds the dynamic example of Banco Central's manual to the letter", () => {
    const payload = buildBrCode({
      location: "pix.example.com/8b3da2f39a4140d1a91abd93113bd441",
      merchantName: "Fulano de Tal",
      merchantCity: "BRASILIA",
    })

    expect(payload).toBe(
      "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd441" +
        "5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4",
    )
  })

  it("a BR Code has each of its fields once, in the decided order, and no amount", () => {
    const fields = fieldsOf(buildBrCode({ ...MERCHANT, location: LOCATION }))

    expect(fields.slice(0, -1)).toEqual([
      ["00", "01"],
      ["01", "12"],
      ["26", `0014br.gov.bcb.pix2556${LOCATION}`],
      ["52", "0000"],
      ["53", "986"],
      ["58", "BR"],
      ["59", "Padaria Sao Joao"],
      ["60", "Sao Paulo"],
      ["62", "0503***"],
    ])
    expect(fields.at(-1)).toEqual(["63", expect.stringMatching(/^[0-9A-F]{4}$/)])
  })

  it("a BR Code states the merchant's category code", () => {
    const payload = buildBrCode({ ...MERCHANT, location: LOCATION, merchantCategoryCode: "5462" })

    expect(parse(payload)).toMatchObject({ merchantCategoryCode: "5462" })
  })

  it.each(["", "546", "54621", "54a2", "５４６２"])(
    "a BR Code is refused with the category code %j",
    (merchantCategoryCode) => {
      expect(() => makeBrCodeBuilder({ ...MERCHANT, merchantCategoryCode })).toThrow(
        new BrCodeInvalid({ field: "merchantCategoryCode", reason: "must be four digits" }),
      )
    },
  )

  it("a BR Code's location may have 77 characters, which fill field 26, and not 78", () => {
    const longest = `pix.example.com/${"a".repeat(61)}`
    const build = makeBrCodeBuilder({ merchantName: "a".repeat(25), merchantCity: "b".repeat(15) })

    expect(parse(build(longest))).toMatchObject({ url: longest })
    expect(build(longest)).toContain("2699")
    expect(build(longest)).toHaveLength(203)
    expect(() => build(`${longest}a`)).toThrow(
      new BrCodeInvalid({ field: "location", reason: "must have at most 77 characters" }),
    )
  })

  it.each(["", " pix.example.com/1", "pix.example.com/é", "pix.example.com/\n", "https://pix.example.com/1"])(
    "a BR Code is refused with the location %j",
    (location) => {
      expect(() => buildBrCode({ ...MERCHANT, location })).toThrow(BrCodeInvalid)
    },
  )

  it.each([
    ["Açaí & Cia. do José", "Acai & Cia. do Jose"],
    ["D´Ávila’s – “Pães”", "D'Avila's - \"Paes\""],
    ["Nº 1 ª ①", "No 1 a 1"],
    ["Straße Łódź Ørsted Æon", "Strasse Lodz Orsted AEon"],
    ["🍕 Pizza 🍕 do\tZé 👩‍🍳\n", "Pizza do Ze"],
    ["e\u0301te\u0301", "ete"],
    ["\ud83cx", "x"],
    ["", "RECEBEDOR"],
    [" \u00a0 ", "RECEBEDOR"],
    ["🍕🍕", "RECEBEDOR"],
    ["寿司", "RECEBEDOR"],
    ["- 🍕 -", "RECEBEDOR"],
    ["a".repeat(25), "a".repeat(25)],
    ["a".repeat(26), "a".repeat(25)],
    [`${"a".repeat(24)} b`, "a".repeat(24)],
    ["ß".repeat(13), "s".repeat(25)],
  ])("a BR Code folds the merchant's name %j to %j", (merchantName, expected) => {
    const payload = buildBrCode({ ...MERCHANT, merchantName, location: LOCATION })

    expect(parse(payload)).toMatchObject({ merchantName: expected })
  })

  it.each([
    ["São José dos Campos", "Sao Jose dos Ca"],
    ["a".repeat(15), "a".repeat(15)],
    ["a".repeat(16), "a".repeat(15)],
    ["São José dos P inhais", "Sao Jose dos P"],
    ["東京", "BRASIL"],
  ])("a BR Code folds the merchant's city %j to %j", (merchantCity, expected) => {
    const payload = buildBrCode({ ...MERCHANT, merchantCity, location: LOCATION })

    expect(parse(payload)).toMatchObject({ merchantCity: expected })
  })

  it("a BR Code is read by another library as what was put in, whatever the names are", () => {
    fc.assert(
      fc.property(arbitraryLocation, arbitraryText, arbitraryText, (location, merchantName, merchantCity) => {
        const parsed = parse(buildBrCode({ location, merchantName, merchantCity }))

        expect(parsed).toMatchObject({
          type: "DYNAMIC",
          url: location,
          merchantCategoryCode: "0000",
          transactionCurrency: "986",
          countryCode: "BR",
        })
        expect(parsed.merchantName).toMatch(/^[!-~]([ -~]{0,23}[!-~])?$/)
        expect(parsed.merchantCity).toMatch(/^[!-~]([ -~]{0,13}[!-~])?$/)
      }),
      { numRuns: 500 },
    )
  })

  it("a BR Code keeps a merchant's name that is ASCII and short enough", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z][!-~]{0,24}$/), (merchantName) => {
        const payload = buildBrCode({ ...MERCHANT, merchantName, location: LOCATION })

        expect(parse(payload)).toMatchObject({ merchantName })
      }),
    )
  })
})

describe("makeBrCodeBuilder", () => {
  it("makeBrCodeBuilder builds for every location what buildBrCode does", () => {
    const build = makeBrCodeBuilder(MERCHANT)

    fc.assert(
      fc.property(arbitraryLocation, (location) => {
        expect(build(location)).toBe(buildBrCode({ ...MERCHANT, location }))
      }),
    )
  })
})

describe("crc16", () => {
  it.each([
    ["", 0xffff],
    ["A", 0xb915],
    ["123456789", 0x29b1],
    // The static example of Banco Central's manual.
    [
      "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000" +
        "5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***6304",
      0x1d3d,
    ],
  ])("crc16 of %j is the published value", (text, expected) => {
    expect(crc16(text)).toBe(expected)
  })

  it("a BR Code's checksum is written with leading zeros", () => {
    const build = makeBrCodeBuilder(MERCHANT)
    const short = Array.from({ length: 2_000 }, (_, index) => build(`pix.example.com/${index}`)).filter(
      (payload) => crc16(payload.slice(0, -4)) < 0x1000,
    )

    expect(short.length).toBeGreaterThan(0)
    for (const payload of short) expect(payload).toMatch(/63040[0-9A-F]{3}$/)
  })
})

/** Identifier and value of each field, read by their stated lengths. */
function fieldsOf(payload: string): ReadonlyArray<readonly [string, string]> {
  if (payload === "") return []
  const end = 4 + Number(payload.slice(2, 4))
  return [[payload.slice(0, 2), payload.slice(4, end)], ...fieldsOf(payload.slice(end))]
}

function parse(payload: string) {
  const parsed = parsePix(payload)
  if ("error" in parsed || !isDynamicPix(parsed)) throw new Error(`not a dynamic PIX: ${payload}`)
  return parsed
}
