import { createHash } from "node:crypto"

const channels = (color: string): ReadonlyArray<number> =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)

/** The relative luminance of a colour (WCAG 2.2), from 0 to 1. */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = channels(color).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Black or white, whichever is read better on a colour: with 4.5 to 1 at least. */
export const inkOn = (color: string): "#000000" | "#ffffff" => {
  const luminance = luminanceOf(color)
  return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff"
}

/** The rule that colours a page's buttons, and what a policy allows it by. */
export const brandStyle = (color: string): { readonly css: string; readonly source: string } => {
  const css = `:root{--brand:${color};--brand-ink:${inkOn(color)}}`
  return { css, source: `'sha256-${createHash("sha256").update(css).digest("base64")}'` }
}
