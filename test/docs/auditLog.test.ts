import { describe, expect, it } from "vitest"
import { sellerActions } from "../../schema/sellerActions.ts"
import { documents } from "../layout/documents.ts"
import { sourcesOf } from "../layout/sources.ts"

const page = documents.find(({ path }) => path === "docs/contract/audit-log.md")?.text ?? ""
const section = page.slice(page.indexOf("## Actions"), page.indexOf("## What is kept"))

/** The actions in the first column of the table. */
const listed = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
  [...cell.matchAll(/`([a-z_.]+)`/g)].map(([, action = ""]) => action),
)

describe("the page of the audit log", () => {
  it("the page lists every action of the code, and the code has every action of the page", () => {
    expect(listed.toSorted()).toEqual(Object.keys(sellerActions).toSorted())
  })

  it("every action of the catalog is done somewhere", () => {
    const code = sourcesOf(["src"])
      .map(({ text }) => text)
      .join()
    // Some names are put together from a family and an act.
    const made = /^(?:webhook_endpoint\.|seller\.kyc_(?:approved|rejected)$)/
    const undone = Object.keys(sellerActions).filter(
      (action) => !made.test(action) && !code.includes(`"${action}"`),
    )
    expect(undone).toEqual([])
  })
})
