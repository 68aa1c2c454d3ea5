import { afterAll, beforeAll, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { SavedViews } from "../../schema/resources/savedViews.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import type { ErrorBody } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const openSession = async () => {
  const seller = await stage.newSeller()
  const { cookie } = await signInAsSeller(stage.service, seller.id)
  return dashboardClient(stage.service.url, { cookie }, "test")
}

const path = "/v1/me/views"
const view = (name: string, query: Readonly<Record<string, string>> = {}, period: string | null = null) => ({
  name,
  query,
  period,
})

it("a user's views are as they were saved, in order, in both modes, and nobody else's", async () => {
  const session = await openSession()
  expect((await session.get<SavedViews>(path)).body).toEqual({ data: [] })
  const views = {
    data: [
      view("Pagas acima de R$ 100", { status: "paid", amount_min: "10000", q: "ana" }, "7d"),
      view("Outubro", { from: "2026-10-01", to: "2026-10-31", has_refund: "true" }),
    ],
  }
  const put = await session.send<SavedViews>("PUT", path, views)
  expect([put.status, put.body]).toEqual([200, views])
  const other = await openSession()
  expect((await session.get<SavedViews>(path)).body).toEqual(views)
  expect((await other.get<SavedViews>(path)).body).toEqual({ data: [] })
  const fewer = { data: views.data.slice(1) }
  await session.send("PUT", path, fewer)
  expect((await session.get<SavedViews>(path)).body).toEqual(fewer)
})

const many = (count: number) => Array.from({ length: count }, (_, i) => view(`view ${i}`))
const long = (length: number) => "é".repeat(length)

it.for([
  ["as many as there can be", many(limits.savedViewsMax), undefined],
  ["one more", many(limits.savedViewsMax + 1), "data"],
  ["the longest name", [view(long(limits.savedViewNameLengthMax))], undefined],
  ["a longer name", [view(long(limits.savedViewNameLengthMax + 1))], "data.0.name"],
  ["no name", [view("")], "data.0.name"],
  ["a name twice", [view("a"), view("b"), view("a")], "data.2.name"],
  ["an unknown filter", [view("a"), view("b", { colour: "red" })], "data.1.query.colour"],
  ["an unknown status", [view("a", { status: "lost" })], "data.0.query.status"],
  ["a page's size", [view("a", { limit: "5" })], "data.0.query.limit"],
  ["an unknown period", [view("a", {}, "90d")], "data.0.period"],
  ["a period and days", [view("a", { from: "2026-10-01" }, "7d")], "data.0.period"],
] as const)("%s: taken or refused whole", async ([_, data, param]) => {
  const session = await openSession()
  const before = { data: [view("kept")] }
  await session.send("PUT", path, before)
  const { status, body } = await session.send<SavedViews & ErrorBody>("PUT", path, { data })
  expect([status, body.error?.param]).toEqual([param === undefined ? 200 : 400, param])
  expect((await session.get<SavedViews>(path)).body).toEqual(param === undefined ? { data } : before)
})
