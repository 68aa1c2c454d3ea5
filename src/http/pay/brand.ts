import { createHash } from "node:crypto"
import { inkOn } from "../../../schema/colors.ts"

/** The rule that colours a page's buttons, and what a policy allows it by. */
export const brandStyle = (color: string): { readonly css: string; readonly source: string } => {
  const css = `:root{--brand:${color};--brand-ink:${inkOn(color)};--brand-edge:rgb(255 255 255 / 45%)}`
  return { css, source: `'sha256-${createHash("sha256").update(css).digest("base64")}'` }
}
