import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { centavosOf, decimalOf } from "../../src/acquirers/apiPix/amounts.ts"

const amount = fc.oneof(fc.integer({ min: 0, max: limits.amountMax }), fc.nat({ max: 1_000 }))

describe("amounts of API Pix", () => {
  it("decimalOf writes reais and two digits of centavos", () => {
    expect([0, 1, 10, 99, 100, 12_990, limits.amountMax].map(decimalOf)).toEqual([
      "0.00",
      "0.01",
      "0.10",
      "0.99",
      "1.00",
      "129.90",
      "9999999999.99",
    ])
  })

  it("centavosOf reads back every amount that decimalOf writes, in BCB's pattern", () => {
    fc.assert(
      fc.property(amount, (centavos) => {
        const text = decimalOf(centavos)
        expect(text).toMatch(/^\d{1,10}\.\d{2}$/)
        expect(centavosOf(text)).toBe(centavos)
      }),
      { numRuns: 2_000 },
    )
  })

  it("centavosOf reads the digits of a decimal without its point", () => {
    const digits = fc.tuple(fc.nat({ max: 9_999_999_999 }), fc.nat({ max: 99 }))
    fc.assert(
      fc.property(digits, ([reais, cents]) => {
        const twoDigits = String(cents).padStart(2, "0")
        expect(centavosOf(`${reais}.${twoDigits}`)).toBe(Number(`${reais}${twoDigits}`))
      }),
      { numRuns: 2_000 },
    )
  })

  it("centavosOf returns undefined for any other text", () => {
    const others = [
      "",
      "129",
      "129.9",
      "129.900",
      "129,90",
      "-129.90",
      "+129.90",
      "1e2.00",
      "1.00e2",
      " 1.00",
      "1.00\n",
      ".50",
      "1_0.00",
      "0x1.00",
      "NaN",
      "Infinity",
      "12345678901.00",
      "١.٠٠",
    ]
    expect(others.filter((text) => centavosOf(text) !== undefined)).toEqual([])
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(centavosOf(text) === undefined).toBe(!/^[0-9]{1,10}\.[0-9]{2}$/.test(text))
      }),
    )
  })
})
