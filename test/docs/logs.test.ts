import { describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { securityEvents } from "../../src/accounts/securityLine.ts"
import { documents } from "../layout/documents.ts"
import { sourcesOf } from "../layout/sources.ts"

const page = documents.find(({ path }) => path === "docs/logs.md")?.text ?? ""

/** The rows of the table of lines: name and level. */
const rows = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| (\w+) \|/gm)].map(
  ([, event = "", level = ""]) => [event, level],
)

describe("the page of logs", () => {
  it("the page lists every event of the code with its level, and the code has every event of the page", () => {
    expect(rows).toEqual(Object.entries(securityEvents).map(([event, [level]]) => [event, level]))
  })

  it("every event of the catalog is written somewhere", () => {
    const code = sourcesOf(["src"])
      .filter(({ path }) => path !== "src/accounts/securityEvents.ts")
      .map(({ text }) => text)
      .join()
    expect(Object.keys(securityEvents).filter((event) => !code.includes(`"${event}"`))).toEqual([])
  })

  it("the page names every reason of a barrier and of a refused key", () => {
    const code = sourcesOf(["src"]).filter(({ path }) =>
      ["src/accounts/securityLog.ts", "src/http/contract/refusalLog.ts"].includes(path),
    )
    const reasons = code.flatMap(({ text }) => [
      ...(text.match(/(?<=RefusalReason =\n)(?: {2}\| "\w+"\n)+/)?.[0].matchAll(/"(\w+)"/g) ?? []),
      ...text.matchAll(/return "(\w+)"$/gm),
      ...text.matchAll(/reason: "(\w+)"/g),
      ...text.matchAll(/\? "(missing|no_token|malformed)" : "(\w+)"/g),
    ])
    const names = [...new Set(reasons.flatMap(([, ...found]) => found))].filter((name) => name !== undefined)
    expect(names.length).toBeGreaterThan(14)
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  it("the page says how many lines a second are written", () => {
    expect(page).toContain(`at most ${limits.refusalLinesPerSecondMax} lines a second`)
  })
})
