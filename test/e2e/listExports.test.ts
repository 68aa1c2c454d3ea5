import readWorkbook from "read-excel-file/node"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signInAsSeller } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import type { ErrorBody } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { paidCharge, refund } from "./support/refunds.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { withdraw } from "./support/withdrawals.ts"

let stage: Stage
let seller: Seller
let chargeId: string
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  seller = await stage.newSeller()
  ;({ id: chargeId } = await paidCharge(seller.test, 20_000))
  for (const amount of [100, 200, 300]) await refund(seller.test, chargeId, { amount })
  await refund(seller.test, (await paidCharge(seller.test, 5_000)).id, { amount: 400 })
  await withdraw(seller.test, await makePixKey(stage, seller, "test"), 700)
})
afterAll(() => stage?.close())

const linesOf = (text: string) => text.trimEnd().split("\r\n").slice(1)
const bookOf = async (path: string) => {
  const answer = await fetch(`${stage.service.url}${path}`, {
    headers: { Authorization: `Bearer ${seller.keys.test}` },
  })
  const [sheet] = await readWorkbook(Buffer.from(await answer.arrayBuffer()))
  return { sheet, disposition: answer.headers.get("content-disposition") }
}

describe("files of refunds and withdrawals", () => {
  it("refunds of the filter, newest first, with the payer of their charge", async () => {
    const { text } = await seller.test.get(`/v1/refunds/export?transaction_id=${chargeId}`)
    const rows = linesOf(text).map((line) => line.split(";"))
    expect(rows.map((row) => [row[4], row[6], row[7]])).toEqual(
      ["3,00", "2,00", "1,00"].map((amount) => [amount, chargeId, "Ana Souza"]),
    )
    const { sheet, disposition } = await bookOf("/v1/refunds/export?format=xlsx")
    expect(disposition).toBe('attachment; filename="devolucoes-teste.xlsx"')
    expect(sheet?.data.map((row) => row[4])).toEqual(["Valor", 4, 3, 2, 1])
  })

  it("withdrawals with their fee", async () => {
    const { text } = await seller.test.get("/v1/withdrawals/export")
    expect(linesOf(text)).toEqual([expect.stringMatching(/^wd_\w+;[^;]+;.*;7,00;1,00;8,00;/)])
    const { sheet, disposition } = await bookOf("/v1/withdrawals/export?format=xlsx&locale=en")
    expect(disposition).toBe('attachment; filename="withdrawals-test.xlsx"')
    expect(sheet?.data.map((row) => row[6])).toEqual(["total", 8])
  })

  it.each(["refunds", "withdrawals"])(
    "a session gets the same %s, and another mode and seller none",
    async (list) => {
      const session = await signInAsSeller(stage.service, seller.id, { isSteppedUp: false })
      const dashboard = dashboardClient(stage.service.url, session, "test")
      const own = await seller.test.get(`/v1/${list}/export?format=ndjson`)
      expect((await dashboard.get(`/v1/me/${list}/export?format=ndjson`)).text).toBe(own.text)
      for (const other of [seller.live, (await stage.newSeller()).test]) {
        expect((await other.get(`/v1/${list}/export?format=ndjson`)).text).toBe("")
      }
    },
  )

  it.each([
    ["refunds", "format=ofx", "format"],
    ["refunds", "status=paid", "status"],
    ["withdrawals", "format=ofx", "format"],
    ["withdrawals", "locale=fr", "locale"],
    ["withdrawals", "from=x", "from"],
  ])("%s with %s are refused at %s", async (list, query, param) => {
    const { status, body } = await seller.test.get<ErrorBody>(`/v1/${list}/export?${query}`)
    expect([status, body.error.param]).toEqual([400, param])
  })
})
