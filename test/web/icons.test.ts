import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const sources = join(import.meta.dirname, "../../web/src")

/** Characters that fonts lack, and that stand for a drawing: arrows but the one of "before → after", technical signs, dingbats, emoji. */
const glyph = /[\u2190\u2191\u2193-\u21ff\u2300-\u23ff\u2580-\u27bf\u2b00-\u2bff\u{1f000}-\u{1faff}]/u

const glyphsIn = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => glyph.test(line))

describe("icons of the pages", () => {
  it("are drawings: no character of a font stands for one", () => {
    const found = readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:tsx?|css)$/.test(name))
      .flatMap((name) =>
        glyphsIn(readFileSync(join(sources, name), "utf8")).map((line) => `${name}: ${line}`),
      )
    expect(found).toEqual([])
  })

  it("would be noticed as characters", () => {
    expect(glyphsIn("a\n☰ Menu\n✕\n❚❚ ▶\n↑ newer\n✓ done\n0 % → 1 %\nR$ 1 · 2 − 3 …")).toHaveLength(5)
  })
})
