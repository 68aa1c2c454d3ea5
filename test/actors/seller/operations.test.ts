import { readdirSync } from "node:fs"
import { basename } from "node:path"
import { describe, expect, it } from "vitest"
import { operations } from "../../../actors/seller/operations/index.ts"

const folder = new URL("../../../actors/seller/operations/", import.meta.url)

describe("the list of a seller's operations", () => {
  it("the list of a seller's operations has one for each file of the folder, under its name", () => {
    const files = readdirSync(folder).map((file) => basename(file, ".ts"))
    const names: ReadonlyArray<string> = operations.map(({ name }) => name)
    expect([...names].sort()).toEqual(files.filter((file) => file !== "index").sort())
  })
})
