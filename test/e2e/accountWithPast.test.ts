import { afterAll, beforeAll, expect, it } from "vitest"
import { signInAsOperator } from "../support/dashboard.ts"
import { type Psp, startPsp } from "../support/psp.ts"
import { apiPixSettings } from "../support/pspSettings.ts"
import { auditVerify, soundBooks } from "./support/apiPix.ts"
import { eventually } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { exceptionsNow, exceptionWhen } from "./support/sweeps.ts"

const from = new Date(Date.now() - 60 * 60_000)
const before = new Date(from.getTime() - 1_000).toISOString()

let psp: Psp
let stage: Stage
let operator: DashboardClient
const old: Array<string> = []
let since = ""
beforeAll(async () => {
  psp = await startPsp()
  old.push(
    psp.receive({ amount: 500, at: before }),
    psp.receive({ amount: 600, at: before, txid: "A".repeat(32) }),
    psp.payOut({ amount: 700, at: before }),
  )
  psp.refundOf(old[0] ?? "", { amount: 500, natureza: "MED_FRAUDE" })
  since = psp.receive({ amount: 800, at: from.toISOString() })
  const settings = { API_PIX_BOOKS_FROM: from.toISOString(), RECONCILE_INTERVAL_SECONDS: "2" }
  stage = await openStage({ ...apiPixSettings(psp), ...settings })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(async () => {
  await stage?.close()
  await psp?.close()
})

const sweepsNow = () => psp.requestsOf("GET /pix?").length

it("what happened before the date makes no exception and no freeze; what came in at it does", async () => {
  await exceptionWhen(stage, "payment_unknown", since)
  const swept = sweepsNow()
  await eventually("another sweep", () => sweepsNow() >= swept + 2 || undefined)
  const found = await exceptionsNow(stage)
  expect(found.map(({ details }) => details.end_to_end_id)).toEqual([since])
  const metrics = await (await fetch(`${stage.service.url}/metrics`)).text()
  expect(metrics).toMatch(/^corrente_payouts_frozen 0$/m)
  const windows = psp
    .requestsOf("GET /pix?")
    .map(({ path }) => new URL(path, "https://psp").searchParams.get("inicio"))
  expect(windows.filter((inicio) => Date.parse(inicio ?? "") < from.getTime() - 1_000)).toEqual([])
})

it("a notice of a Pix that came in before the date opens no exception", async () => {
  const answer = await psp.notify(
    `${stage.service.url}/v1/webhooks/api-pix/pix`,
    psp.notice({ endToEndId: old[1] ?? "" }),
    apiPixSettings(psp).API_PIX_WEBHOOK_SECRET,
  )
  expect(answer.status).toBe(200)
  await eventually("the notice to be processed", async () => {
    const { body } = await operator.get<{ data: ReadonlyArray<{ attempts: number }> }>("/v1/admin/inbox")
    return body.data.some(({ attempts }) => attempts > 0) || undefined
  })
  expect((await exceptionsNow(stage)).map(({ details }) => details.end_to_end_id)).toEqual([since])
  expect(await auditVerify(stage)).toEqual(soundBooks)
})
