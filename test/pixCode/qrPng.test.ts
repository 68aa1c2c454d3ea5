import { crc32, inflateSync } from "node:zlib"
import fc from "fast-check"
import jsqr from "jsqr"
import { PNG } from "pngjs"
import { encodeQR } from "qr"
import { describe, expect, it } from "vitest"
import { buildBrCode } from "../../src/pixCode/brCode.ts"
import { encodePngBase64, encodeQrPngBase64 } from "../../src/pixCode/qrPng.ts"
import { type QrSymbol, rowBytesOf } from "../../src/pixCode/qrSymbol.ts"
import { sizes } from "../support/sizes.ts"
import pictures from "./pictures.json" with { type: "json" }

/** The modules of a symbol with its quiet zone, rows from the top; `true` is dark. */
type QrModules = ReadonlyArray<ReadonlyArray<boolean>>

const MODULE_PIXELS = 8
const QUIET_ZONE_MODULES = 4
// ISO/IEC 18004, 7.9: the format word is sent through this mask.
const FORMAT_MASK = 0b101010000010010

const BR_CODE = buildBrCode({
  location: "pix.corrente.test/qr/v2/0123456789abcdef0123456789abcdef",
  merchantName: "Padaria São João",
  merchantCity: "São Paulo",
})

describe("encodeQrPngBase64", () => {
  it("a QR image is read by a scanner as the BR Code it was made of", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9a-f]{32}$/),
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.constantFrom("São Paulo", "Ji", "São José dos Campos"),
        (hex, merchantName, merchantCity) => {
          const payload = buildBrCode({
            location: `pix.example.com/qr/v2/${hex}`,
            merchantName,
            merchantCity,
          })

          expect(scan(encodeQrPngBase64(payload))?.data).toBe(payload)
        },
      ),
      { numRuns: sizes.qrScans },
    )
  })

  it("a QR image of the longest BR Code is read by a scanner", () => {
    const payload = buildBrCode({
      location: `pix.example.com/${"f".repeat(61)}`,
      merchantName: "m".repeat(25),
      merchantCity: "c".repeat(15),
    })

    expect(payload).toHaveLength(203)
    expect(scan(encodeQrPngBase64(payload))).toMatchObject({ data: payload, version: 10 })
  })

  it("a QR image keeps text beyond ASCII", () => {
    expect(scan(encodeQrPngBase64("São João 🍕"))?.data).toBe("São João 🍕")
  })

  it.each([
    [122, 7],
    [123, 8],
    [152, 8],
    [153, 9],
    [180, 9],
    [181, 10],
  ])(
    "a QR image of %i bytes has the smallest version that holds them with correction M: %i",
    (bytes, version) => {
      const base64 = encodeQrPngBase64("x".repeat(bytes))

      expect(scan(base64)?.version).toBe(version)
      expect(decode(base64).width).toBe((17 + 4 * version + 2 * QUIET_ZONE_MODULES) * MODULE_PIXELS)
    },
  )

  it("a QR image has four light modules on each side, and its symbol starts right behind them", () => {
    const modules = modulesOf(encodeQrPngBase64(BR_CODE))
    const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [{ x, y }] : [])))

    expect(Math.min(...dark.map(({ x }) => x))).toBe(QUIET_ZONE_MODULES)
    expect(Math.min(...dark.map(({ y }) => y))).toBe(QUIET_ZONE_MODULES)
    expect(Math.max(...dark.map(({ x }) => x))).toBe(modules.length - 1 - QUIET_ZONE_MODULES)
    expect(Math.max(...dark.map(({ y }) => y))).toBe(modules.length - 1 - QUIET_ZONE_MODULES)
  })

  it("a QR image declares error correction M in both copies of the format", () => {
    const modules = modulesOf(encodeQrPngBase64(BR_CODE))
    const end = modules.length - 2 * QUIET_ZONE_MODULES - 1
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
    const beside = [...range(0, 6), 7, 8].map((x) => [x, 8])
    const above = [7, ...range(0, 6).reverse()].map((y) => [8, y])
    const below = range(0, 7).map((index) => [8, end - index])
    const right = range(end - 7, end + 1).map((x) => [x, 8])

    for (const places of [
      [...beside, ...above],
      [...below, ...right],
    ]) {
      const bits = places.map(([x = 0, y = 0]) =>
        modules[y + QUIET_ZONE_MODULES]?.[x + QUIET_ZONE_MODULES] ? 1 : 0,
      )
      const format = Number.parseInt(bits.join(""), 2) ^ FORMAT_MASK
      expect(places).toHaveLength(15)
      expect(format >> 13).toBe(0b00)
    }
  })

  it("a QR image is a square PNG of one-bit greyscale, in canonical base64 without a prefix", () => {
    const base64 = encodeQrPngBase64(BR_CODE)
    const header = Buffer.from(base64, "base64").subarray(0, 29)

    expect(Buffer.from(base64, "base64").toString("base64")).toBe(base64)
    expect(header.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n")
    expect(header.readUInt32BE(16)).toBe(header.readUInt32BE(20))
    expect([...header.subarray(24)]).toEqual([1, 0, 0, 0, 0])
  })

  it.each([150, 162, 180])("a QR image of %i characters takes less than 900 bytes", (length) => {
    const payload = BR_CODE.padEnd(length, "0").slice(0, length)

    expect(Buffer.from(encodeQrPngBase64(payload), "base64").length).toBeLessThan(900)
  })

  it("a QR image holds as much as version 40 does, and one byte more throws", () => {
    const longest = "x".repeat(2_331)

    expect(decode(encodeQrPngBase64(longest)).width).toBe(185 * MODULE_PIXELS)
    expect(() => encodeQrPngBase64(`${longest}x`)).toThrow("Capacity overflow")
  })

  // Replays under an Idempotency-Key and repeated deliveries must be the same bytes for as long as charges are kept.
  it("a QR image of a payload has the bytes that it always had", () => {
    expect(pictures.length).toBeGreaterThan(3)
    for (const { payload, qr_base64 } of pictures) expect(encodeQrPngBase64(payload)).toBe(qr_base64)
  })

  it("a QR image has nothing of those made before it, in whatever order sizes come", () => {
    const payloads = [BR_CODE, "x".repeat(400), BR_CODE.toLowerCase(), "y".repeat(20)]
    const alone = payloads.map(encodeQrPngBase64)

    for (const payload of [...payloads].reverse()) {
      expect(encodeQrPngBase64(payload)).toBe(alone[payloads.indexOf(payload)])
    }
  })
})

describe("encodePngBase64", () => {
  const versions = Array.from({ length: 40 }, (_, index) => index + 1)
  /** The smallest, those of BR Codes, and the largest. */
  const isDecoded = (version: number) => version <= 2 || (version >= 7 && version <= 10) || version === 40

  it.each(versions)(
    "encodePngBase64 draws each module of version %i, in a stream without a flaw",
    (version) => {
      const modules = encodeQR("corrente", "raw", { version, ecc: "low", border: QUIET_ZONE_MODULES })
      expectDrawn(modules, isDecoded(version))
    },
  )

  it.each([1, 9, 40])(
    "encodePngBase64 draws a symbol of version %i that is all dark, and one that is all light",
    (version) => {
      const side = 17 + 4 * version + 2 * QUIET_ZONE_MODULES
      const inside = (index: number) => index >= QUIET_ZONE_MODULES && index < side - QUIET_ZONE_MODULES
      const filled = (isDark: boolean) =>
        Array.from({ length: side }, (_, y) =>
          Array.from({ length: side }, (_, x) => isDark && inside(x) && inside(y)),
        )

      expectDrawn(filled(true), version < 40)
      expectDrawn(filled(false), version < 40)
    },
  )

  it.each([0, 17, 20, 22, 54, 178, 181])(
    "encodePngBase64 refuses %i modules a side, which no QR code has",
    (side) => {
      expect(() => encodePngBase64({ side, rows: new Uint8Array(side * rowBytesOf(side)) })).toThrow(
        RangeError,
      )
    },
  )
})

/** The symbol in a matrix with its quiet zone. */
function symbolOf(modules: QrModules): QrSymbol {
  const side = modules.length - 2 * QUIET_ZONE_MODULES
  const rowBytes = rowBytesOf(side)
  const rows = new Uint8Array(side * rowBytes)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const isDark = modules[y + QUIET_ZONE_MODULES]?.[x + QUIET_ZONE_MODULES] === true
      const byteIndex = y * rowBytes + (x >> 3)
      rows[byteIndex] = (rows[byteIndex] ?? 0) | (Number(isDark) << (x & 7))
    }
  }
  return { side, rows }
}

/** The chunks of a PNG as type and data; fails where a checksum or the signature is wrong. */
function chunksOf(png: Buffer): ReadonlyArray<readonly [string, Buffer]> {
  expect(png.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n")
  const chunks: Array<readonly [string, Buffer]> = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const [type, data] = [png.subarray(at + 4, at + 8), png.subarray(at + 8, at + 8 + length)]
    expect(png.readUInt32BE(at + 8 + length), `checksum of ${type}`).toBe(
      crc32(png.subarray(at + 4, at + 8 + length)),
    )
    chunks.push([type.toString("latin1"), data])
    at += 12 + length
  }
  return chunks
}

/**
 * Fails unless the PNG has one-bit greyscale rows of these modules, with every checksum right. With `isDecoded`, also what
 * another decoder shows is compared, pixel by pixel: a large symbol has two million.
 */
function expectDrawn(modules: QrModules, isDecoded: boolean): void {
  const base64 = encodePngBase64(symbolOf(modules))
  // As texts: comparing a million booleans one by one takes seconds.
  if (isDecoded) expect(textOf(modulesOf(base64))).toBe(textOf(modules))

  const [head, data, end, ...more] = chunksOf(Buffer.from(base64, "base64"))
  expect([head?.[0], data?.[0], end?.[0], more.length]).toEqual(["IHDR", "IDAT", "IEND", 0])
  const side = modules.length * MODULE_PIXELS
  expect([head?.[1].readUInt32BE(0), head?.[1].readUInt32BE(4)]).toEqual([side, side])
  expect([...(head?.[1].subarray(8) ?? [])]).toEqual([1, 0, 0, 0, 0])
  const rows = modules.flatMap((row) => {
    // A filter byte of 0, then a byte a module.
    const pixels = Buffer.from([0, ...row.map((isDark) => (isDark ? 0x00 : 0xff))])
    return Array.from({ length: MODULE_PIXELS }, () => pixels)
  })
  expect(inflateSync(data?.[1] ?? Buffer.alloc(0)).equals(Buffer.concat(rows))).toBe(true)
}

/** The symbol as text, a character a module. */
function textOf(modules: QrModules): string {
  return modules.map((row) => row.map((isDark) => (isDark ? "#" : ".")).join("")).join("\n")
}

function decode(base64: string) {
  return PNG.sync.read(Buffer.from(base64, "base64"), { checkCRC: true })
}

function scan(base64: string) {
  const { data, width, height } = decode(base64)
  return jsqr.default(new Uint8ClampedArray(data), width, height)
}

/** The image by modules; throws when the pixels of one differ. */
function modulesOf(base64: string): QrModules {
  const { data, width, height } = decode(base64)
  const side = width / MODULE_PIXELS
  const isDark = (x: number, y: number) => data[4 * (y * width + x)] === 0
  for (let y = 0; y < height; y++) {
    const moduleY = y - (y % MODULE_PIXELS)
    for (let x = 0; x < width; x++) {
      if (isDark(x, y) !== isDark(x - (x % MODULE_PIXELS), moduleY)) {
        throw new Error(`pixel ${x}, ${y} differs from its module`)
      }
    }
  }
  return Array.from({ length: side }, (_, y) =>
    Array.from({ length: side }, (_, x) => isDark(x * MODULE_PIXELS, y * MODULE_PIXELS)),
  )
}
