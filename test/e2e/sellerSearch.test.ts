import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SellerProfile } from "../../schema/resources/seller.ts"
import * as keys from "../../src/store/keys.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makeSellerPerson } from "./support/accountPeople.ts"
import type { Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { errorOf } from "./support/withdrawals.ts"

let stage: Stage
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage()
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

const search = <T = Page<SellerProfile>>(q: string, more = "") =>
  operator.get<T>(`/v1/admin/sellers?q=${encodeURIComponent(q)}${more}`)
const idsOf = async (q: string, more = "") => (await search(q, more)).body.data.map(({ id }) => id)

describe("a search for sellers", () => {
  it("finds them by name, document, owner's address and id", async () => {
    const ana = await stage.newSeller({ name: "Padaria São João", document: "52998224725" })
    const person = await makeSellerPerson(stage)
    for (const q of ["padaria", "SAO pad", "529.982.247-25", "52998224725", ana.id])
      expect(await idsOf(q), q).toEqual([ana.id])
    expect(await idsOf(` ${person.email.toUpperCase()} `)).toHaveLength(1)
    for (const q of [
      "padarias",
      "123.456.789-09",
      "nobody@example.com",
      "sel_00000000000000000000000000",
      "?!",
    ])
      expect(await idsOf(q), q).toEqual([])
    expect(await idsOf("padaria", "&status=suspended")).toEqual([])
    expect(await idsOf(ana.id, "&status=suspended")).toEqual([])
  })

  it("goes on from page to page, and only for the same words", async () => {
    for (const name of ["Quitanda Um", "Quitanda Dois", "Quitanda Tres"]) await stage.newSeller({ name })
    const first = (await search("quitanda", "&limit=2")).body
    const second = (await search("quitanda", `&limit=2&cursor=${first.next_cursor}`)).body
    const ids = [...first.data, ...second.data].map(({ id }) => id)
    expect([ids.length, new Set(ids).size, second.next_cursor]).toEqual([3, 3, null])
    const other = await search<never>("padaria", `&limit=2&cursor=${first.next_cursor}`)
    expect(errorOf(other)).toMatchObject({ status: 400, code: "invalid_cursor" })
    expect(errorOf(await search<never>(" "))).toMatchObject({ status: 400, param: "q" })
  })

  it("keeps no document in its index", async () => {
    const { id } = await stage.newSeller({ name: "Mercearia Velha", document: "11222333000181" })
    const index = keys.sellerLookupKeyOf(id)
    const members = (await stage.redis("ZRANGE", index, 0, -1)) as ReadonlyArray<string>
    expect(members.join(" ")).not.toMatch(/11222333/)
    expect(await idsOf("11222333000181")).toEqual([id])
  })
})
