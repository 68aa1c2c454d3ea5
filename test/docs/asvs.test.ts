import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { asvsNumbers } from "./asvsNumbers.ts"

const root = join(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/asvs.md"), "utf8")

const required = Object.entries(asvsNumbers).flatMap(([section, numbers]) =>
  numbers.map((number) => `${section}.${number}`),
)

/** `1.2.3, 2.1.1 to 2.1.3` as single requirements. */
const expand = (text: string): ReadonlyArray<string> =>
  text.split(", ").flatMap((part) => {
    const [from = "", to = from] = part.split(" to ")
    return required.slice(required.indexOf(from), required.indexOf(to) + 1)
  })

interface Row {
  readonly text: string
  readonly ids: ReadonlyArray<string>
  readonly state: string
  readonly what: string
  readonly shown: string
}

const rows: ReadonlyArray<Row> = page
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [, ids = "", state = "", what = "", shown = ""] = line.split("|").map((cell) => cell.trim())
    return { text: line, ids: expand(ids), state, what, shown }
  })

const countOf = (chapter: string, state?: string): number =>
  rows
    .filter((row) => state === undefined || row.state === state)
    .flatMap(({ ids }) => ids)
    .filter((id) => chapter === "all" || id.startsWith(`${chapter}.`)).length

describe("the page of OWASP ASVS 5.0", () => {
  it("has each requirement of levels 1 and 2 once, in their order", () => {
    expect(rows.flatMap(({ ids }) => ids).sort()).toEqual([...required].sort())
  })

  it("says of each whether it applies and is met, and why not where it is not", () => {
    for (const { text, state, what } of rows) {
      expect(["met", "not", "n/a"], text).toContain(state)
      expect(what, text).not.toBe("")
    }
  })

  it("names what shows that a requirement is met: a test or a page that exists", () => {
    for (const { text, state, shown } of rows) {
      if (state !== "met") continue
      const tests = [...shown.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file)
      expect(tests.length > 0 || /\]\(/.test(shown), text).toBe(true)
      for (const file of tests) expect([file, existsSync(join(root, file))]).toEqual([file, true])
    }
  })

  it("adds up by chapter", () => {
    const summary = page.split("\n").flatMap((line) => {
      const [, chapter = "", ...counts] =
        /^\| (V\d+|all)\b[^|]*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/.exec(line) ?? []
      return chapter === "" ? [] : [[chapter.replace("V", ""), counts.map(Number)] as const]
    })
    expect(summary.map(([chapter]) => chapter)).toEqual([
      ...Array.from({ length: 17 }, (_, i) => `${i + 1}`),
      "all",
    ])
    for (const [chapter, counts] of summary) {
      const states = ["n/a", "met", "not"].map((state) => countOf(chapter, state))
      expect([chapter, counts]).toEqual([chapter, [countOf(chapter), ...states]])
    }
  })
})
