import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { faultNames } from "./kinds.ts"

it("docs/promises.md lists every fault that a run may draw", () => {
  const page = readFileSync(new URL("../../../docs/promises.md", import.meta.url), "utf8")
  expect(faultNames.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
