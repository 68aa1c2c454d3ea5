import { describe, expect, it } from "vitest"
import { Corrente } from "../../client/src/index.ts"
import { type Scripted, scriptedFetch } from "./support/scriptedFetch.ts"

const page = (ids: ReadonlyArray<string>, next_cursor: string | null): Scripted => ({
  status: 200,
  body: { data: ids.map((id) => ({ id })), next_cursor },
})

const listOf = (...pages: ReadonlyArray<Scripted>) => {
  const { fetch, requests } = scriptedFetch(...pages)
  return { corrente: new Corrente({ apiKey: "sk_test_1", baseUrl: "https://pay.example", fetch }), requests }
}

describe("a list", () => {
  it("a list gives the items of all pages, empty ones among them, and asks each with the same filters", async () => {
    const { corrente, requests } = listOf(
      page(["txn_1", "txn_2"], "c1"),
      page([], "c2"),
      page(["txn_3"], null),
    )
    const ids: Array<string> = []
    for await (const { id } of corrente.transactions.list({ status: "paid", limit: 2 })) ids.push(id)
    expect(ids).toEqual(["txn_1", "txn_2", "txn_3"])
    expect(requests.map(({ path }) => path)).toEqual([
      "/v1/transactions?status=paid&limit=2",
      "/v1/transactions?status=paid&limit=2&cursor=c1",
      "/v1/transactions?status=paid&limit=2&cursor=c2",
    ])
  })

  it("a list reads no page before it is iterated, and none after its loop is left", async () => {
    const { corrente, requests } = listOf(page(["txn_1", "txn_2"], "c1"))
    const list = corrente.transactions.list()
    expect(requests).toHaveLength(0)
    for await (const { id } of list) if (id === "txn_2") break
    expect(requests).toHaveLength(1)
    for await (const { id } of list) if (id === "txn_1") break
    expect(requests.map(({ path }) => path)).toEqual(["/v1/transactions", "/v1/transactions"])
  })

  it("a list gives a single page with its cursor", async () => {
    const { corrente, requests } = listOf(page(["rfd_1"], "c2"))
    const list = corrente.refunds.list({ cursor: "c1", transaction_id: "txn_1" })
    expect(await list.page()).toEqual({ data: [{ id: "rfd_1" }], next_cursor: "c2" })
    expect(requests.map(({ path }) => path)).toEqual(["/v1/refunds?cursor=c1&transaction_id=txn_1"])
  })

  it("a list without pages, as of PIX keys, ends after its items", async () => {
    const { corrente, requests } = listOf({ status: 200, body: { data: [{ id: "pk_1" }] } })
    const ids: Array<string> = []
    for await (const { id } of corrente.pixKeys.list()) ids.push(id)
    expect([ids, requests.length]).toEqual([["pk_1"], 1])
  })

  it("a list of events takes its types as a list", async () => {
    const { corrente, requests } = listOf(page([], null))
    for await (const _ of corrente.events.list({ types: ["transaction.*", "ping"] })) expect.unreachable()
    expect(requests.map(({ path }) => path)).toEqual(["/v1/events?types=transaction.*%2Cping"])
  })
})
