import { encodeQrSymbol, rowBytesOf } from "../src/pixCode/qrSymbol.ts"

/** Half of the border that ISO/IEC 18004 asks for: a terminal's margin does the rest, and phones read it. */
const quietZoneModules = 2
/** White on black by number, because the terminal's own palette may redefine the names. */
const whiteOnBlack = "\u001b[38;5;231;48;5;16m"
const reset = "\u001b[0m"

/**
 * Draws a text as a QR code with half-block characters, two modules per character. Light modules are drawn and dark ones left out,
 * so that it is readable on a dark background; with colours it is on any.
 */
export const qrPicture = (text: string, hasColours: boolean): ReadonlyArray<string> => {
  const { side, rows } = encodeQrSymbol(text)
  const rowBytes = rowBytesOf(side)
  const isLight = (x: number, y: number): boolean => {
    if (y >= side + quietZoneModules) return false
    if (x < 0 || y < 0 || x >= side || y >= side) return true
    return (((rows[y * rowBytes + (x >> 3)] ?? 0) >> (x & 7)) & 1) === 0
  }
  const lines: Array<string> = []
  for (let y = -quietZoneModules; y < side + quietZoneModules; y += 2) {
    let line = ""
    for (let x = -quietZoneModules; x < side + quietZoneModules; x++) {
      const [upper, lower] = [isLight(x, y), isLight(x, y + 1)]
      line += upper ? (lower ? "█" : "▀") : lower ? "▄" : " "
    }
    lines.push(hasColours ? whiteOnBlack + line + reset : line)
  }
  return lines
}
