import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readBankCode } from "../../src/pixCode/bankCode.ts"
import { buildBrCode, crc16 } from "../../src/pixCode/brCode.ts"
import { runsOf } from "../support/sizes.ts"

const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, "0")}${value}`
const signed = (text: string) =>
  `${text}6304${crc16(`${text}6304`).toString(16).toUpperCase().padStart(4, "0")}`
const location = "pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441"
const pix = field("26", field("00", "br.gov.bcb.pix") + field("25", location))
const rest =
  field("58", "BR") + field("59", "Fulano de Tal") + field("60", "RECIFE") + field("62", field("05", "***"))

/** A code as a bank makes it, with parts of it otherwise. */
const codeOf = (
  parts: { readonly account?: string; readonly amount?: string; readonly tail?: string } = {},
) => {
  const { account = pix, amount, tail = rest } = parts
  const asked = amount === undefined ? "" : field("54", amount)
  return signed(`000201010212${account}${field("52", "0000")}${field("53", "986")}${asked}${tail}`)
}

const verdictOf = (code: string, amount = 12_990) => {
  const reading = readBankCode(code, amount)
  return Result.isSuccess(reading) ? reading.success : reading.failure
}

describe("a BR Code of a bank", () => {
  it("a code of the Central Bank's example is read, with its recurrence", () => {
    const code =
      "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741"
    expect(verdictOf(code)).toBe(location)
  })

  it.each([
    ["without an amount", codeOf()],
    ["with the charge's amount", codeOf({ amount: "129.90" })],
    ["with the charge's amount in short", codeOf({ amount: "129.9" })],
    [
      "with a second account before Pix",
      codeOf({ account: field("26", field("00", "other")) + pix.replace(/^26/, "27") }),
    ],
    ["with the CRC in lower case", codeOf().replace(/.{4}$/, (crc) => crc.toLowerCase())],
    ["by its domain in capitals", codeOf({ account: pix.replace("br.gov.bcb.pix", "BR.GOV.BCB.PIX") })],
  ])("a code %s is read", (_, code) => {
    expect(verdictOf(code)).toBe(location)
  })

  it.each([
    ["asks for another amount", codeOf({ amount: "129.91" })],
    ["asks for another amount", codeOf({ amount: "0" })],
    ["asks for another amount", codeOf({ amount: "a lot" })],
    [
      "names no location",
      codeOf({ account: field("26", field("00", "br.gov.bcb.pix") + field("01", "key")) }),
    ],
    ["names no location", codeOf({ account: field("26", field("00", "other") + field("25", location)) })],
    ["names no location", codeOf({ account: "" })],
    ["is no BR Code", codeOf({ tail: rest.replace("5802BR", "5802US") })],
    ["is no BR Code", codeOf({ tail: `${rest}9` })],
    ["is no BR Code", codeOf({ account: `${pix}${pix}` })],
    ["is no BR Code", signed(codeOf().slice(6, -8))],
    ["has a wrong CRC", `${codeOf().slice(0, -4)}0000`],
    ["has a wrong CRC", codeOf().slice(0, -8)],
    ["is not ASCII text of at most 512 characters", ""],
    [
      "is not ASCII text of at most 512 characters",
      codeOf({ tail: rest.replace("Fulano de Tal", "Padaria do Zé") }),
    ],
    [
      "is not ASCII text of at most 512 characters",
      codeOf({ tail: rest + Array.from({ length: 4 }, (_, i) => field(`8${i}`, "x".repeat(99))).join("") }),
    ],
  ])("a code is refused that %s", (why, code) => {
    expect(verdictOf(code)).toBe(why)
  })

  it("a code of 512 characters is read, and one of 513 is not", () => {
    const full = ["80", "81", "82"].map((id) => field(id, "x".repeat(99))).join("")
    const ofLength = (length: number) => {
      const shortest = codeOf({ tail: rest + full + field("83", "x") }).length
      return codeOf({ tail: rest + full + field("83", "x".repeat(1 + length - shortest)) })
    }
    expect([ofLength(512).length, verdictOf(ofLength(512))]).toEqual([512, location])
    expect([ofLength(513).length, verdictOf(ofLength(513))]).toEqual([
      513,
      "is not ASCII text of at most 512 characters",
    ])
  })

  const mutations: fc.Arbitrary<(code: string) => string> = fc.oneof(
    fc.tuple(fc.nat(), fc.stringMatching(/^[ -~]$/)).map(([at, letter]) => (code: string) => {
      const place = at % code.length
      return code.slice(0, place) + letter + code.slice(place + 1)
    }),
    fc.tuple(fc.nat(), fc.stringMatching(/^[ -~]{1,3}$/)).map(([at, more]) => (code: string) => {
      const place = at % (code.length + 1)
      return code.slice(0, place) + more + code.slice(place)
    }),
    fc.tuple(fc.nat(), fc.integer({ min: 1, max: 3 })).map(([at, count]) => (code: string) => {
      const place = at % code.length
      return code.slice(0, place) + code.slice(place + count)
    }),
    fc.nat().map((at) => (code: string) => {
      const place = at % (code.length - 1)
      return code.slice(0, place) + code[place + 1] + code[place] + code.slice(place + 2)
    }),
    fc.nat().map((at) => (code: string) => code.slice(0, at % code.length)),
  )
  const withoutCrcCase = (code: string) => code.slice(0, -4) + code.slice(-4).toUpperCase()

  it("no code is read that was changed on its way", () => {
    const codes = fc
      .record({ merchantName: fc.string({ maxLength: 25 }), token: fc.stringMatching(/^[a-z0-9]{1,40}$/) })
      .map(({ merchantName, token }) =>
        buildBrCode({ location: `pix.example.com/${token}`, merchantName, merchantCity: "Recife" }),
      )
    fc.assert(
      fc.property(codes, mutations, (code, mutate) => {
        expect(Result.isSuccess(readBankCode(code, 1))).toBe(true)
        const changed = mutate(code)
        fc.pre(withoutCrcCase(changed) !== withoutCrcCase(code))
        expect(Result.isFailure(readBankCode(changed, 1))).toBe(true)
      }),
      { numRuns: runsOf(5_000) },
    )
  })
})
