import { PNG } from "pngjs"

/** ISO/IEC 18004: the light border that a reader needs, in modules. */
const quietZoneModules = 4

/**
 * Draws a QR picture (PNG in base64, dark on light, with its quiet zone) with half-block characters, two modules per
 * character. Light modules are drawn and dark ones left out, so that it is readable on a dark background.
 */
export const qrPicture = (pngBase64: string): ReadonlyArray<string> => {
  const { data, width } = PNG.sync.read(Buffer.from(pngBase64, "base64"))
  const isDarkPixel = (x: number, y: number) => (data[4 * (y * width + x)] ?? 255) < 128
  let border = 0
  while (!isDarkPixel(border, border)) border++
  const modulePixels = border / quietZoneModules
  const modules = width / modulePixels
  // There is nothing below an odd last row: that counts as dark.
  const isLight = (column: number, row: number) =>
    row < modules && !isDarkPixel(column * modulePixels, row * modulePixels)
  const lines: Array<string> = []
  for (let row = 0; row < modules; row += 2) {
    let line = ""
    for (let column = 0; column < modules; column++) {
      const upper = isLight(column, row)
      const lower = isLight(column, row + 1)
      line += upper ? (lower ? "█" : "▀") : lower ? "▄" : " "
    }
    lines.push(line)
  }
  return lines
}
