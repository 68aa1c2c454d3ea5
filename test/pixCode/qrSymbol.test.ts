import fc from "fast-check"
import { encodeQR } from "qr"
import { describe, expect, it } from "vitest"
import { encodeQrSymbol, rowBytesOf } from "../../src/pixCode/qrSymbol.ts"
import { anyCodePoint } from "../support/anyCodePoint.ts"

/** The modules that another encoder draws in the same version, mask and correction. */
const drawnByQr = (text: string, version: number) =>
  encodeQR(text, "raw", { version, ecc: "medium", encoding: "byte", mask: 2, border: 1 })
    .slice(1, -1)
    .map((row) => row.slice(1, -1))

const drawn = (text: string) => {
  const { side, rows } = encodeQrSymbol(text)
  const rowBytes = rowBytesOf(side)
  return Array.from({ length: side }, (_, y) =>
    Array.from({ length: side }, (_, x) => (((rows[y * rowBytes + (x >> 3)] ?? 0) >> (x & 7)) & 1) === 1),
  )
}

const versionOf = (text: string) => (encodeQrSymbol(text).side - 17) / 4

/** Bytes that version 1, 2 and on hold with correction M (ISO/IEC 18004, table 7). */
const capacities = [
  14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666, 711, 779,
  857, 911, 997, 1_059, 1_125, 1_190, 1_264, 1_370, 1_452, 1_538, 1_628, 1_722, 1_809, 1_911, 1_989, 2_099,
  2_213, 2_331,
]

describe("encodeQrSymbol", () => {
  it.each(capacities.map((bytes, index) => [index + 1, bytes] as const))(
    "QR version %i holds %i bytes and not one more",
    (version, bytes) => {
      const text = Array.from({ length: bytes }, (_, at) => String.fromCharCode(33 + ((at * 7) % 90))).join(
        "",
      )
      expect(versionOf(text)).toBe(version)
      expect(drawn(text)).toEqual(drawnByQr(text, version))
      if (version < 40) expect(versionOf(`${text}x`)).toBe(version + 1)
      else expect(() => encodeQrSymbol(`${text}x`)).toThrow("Capacity overflow")
    },
  )

  it("encodeQrSymbol draws, module by module, what another encoder draws", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint, maxLength: 300 }), (text) => {
        expect(drawn(text)).toEqual(drawnByQr(text, versionOf(text)))
      }),
      { numRuns: 300 },
    )
  })

  it("a QR symbol has nothing of the one before it, whatever the two texts share", () => {
    const part = fc.constantFrom(
      "00020101021226",
      "br.gov.bcb.pix",
      "Loja da Maria",
      "",
      "\u00ff",
      "0",
      "6304",
    )
    const text = fc
      .array(fc.oneof(part, fc.string({ maxLength: 8 })), { maxLength: 20 })
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), (texts) => {
        for (const one of texts) expect(drawn(one)).toEqual(drawnByQr(one, versionOf(one)))
      }),
      { numRuns: 100 },
    )
  })
})
