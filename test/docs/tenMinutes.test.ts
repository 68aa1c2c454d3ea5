import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tenMinuteGuide } from "../../src/http/docs/guide.ts"
import { openStage, type Seller, type Stage } from "../e2e/support/stage.ts"
import { blocksOf, jsonOf, namesIn, runBlocks } from "./section.ts"

let stage: Stage
let seller: Seller
beforeAll(async () => {
  // Nothing happens by itself: the commands decide.
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000" })
  seller = await stage.newSeller()
})
afterAll(() => stage?.close())

const [start = "", variables = "", ...commands] = blocksOf("docs/guide.md", "in-ten-minutes")

describe("the guide of ten minutes", () => {
  it("every command against the service runs as it stands and shows what the guide says", async () => {
    expect(start).toMatch(/^npm start/)
    expect(namesIn(variables).toSorted()).toEqual(["CORRENTE", "KEY"])
    const run = await runBlocks(
      commands.filter((block) => !block.startsWith("npx corrente ")),
      { CORRENTE: stage.service.url, KEY: seller.keys.test },
    )
    expect(run).toMatchObject({ exitCode: 0, stderr: "" })
    const [made, paid, events, stream, refunded, clock, ...rest] = run.printed
    expect(rest).toEqual([])
    expect(jsonOf(made)).toMatchObject([{ object: "transaction", status: "pending", amount: 12_990 }])
    expect(jsonOf(paid)).toMatchObject([{ status: "paid" }])
    expect(jsonOf(events)).toMatchObject([
      {
        data: [
          { type: "transaction.paid", seq: 2 },
          { type: "transaction.created", seq: 1 },
        ],
      },
    ])
    expect(stream).toContain("event: ready")
    const [refund, balance] = (refunded ?? "").split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text))
    expect(refund).toMatchObject({ object: "refund", status: "succeeded", amount: 500 })
    expect(balance).toMatchObject({ available: 12_490 })
    const [advanced, expired] = (clock ?? "").split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text))
    expect(advanced).toMatchObject({ advanced_seconds: 86_400 })
    expect(expired).toMatchObject({ status: "expired", amount: 9_901 })
  })

  it("/docs begins with the guide, in which no link leads to a page that is not served", () => {
    const shown = tenMinuteGuide(readFileSync(new URL("../../docs/guide.md", import.meta.url), "utf8"))
    expect(shown).toMatch(/^# In ten minutes\n/)
    expect(shown.match(/^## \d\. .+$/gm)).toHaveLength(7)
    expect([...shown.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target)).toEqual(["docs/events"])
    expect(shown).not.toContain("## Charges")
  })
})
