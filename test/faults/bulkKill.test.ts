import { expect, it } from "vitest"
import type { Bulk } from "../../schema/resources/bulk.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import { freshKey } from "../e2e/support/charges.ts"
import { eventually } from "../e2e/support/client.ts"
import { dashboardClient } from "../e2e/support/dashboardClient.ts"
import { payNow } from "../e2e/support/refunds.ts"
import { openStage } from "../e2e/support/stage.ts"
import { signInAsSeller } from "../support/dashboard.ts"

const rows = 80
/** The process dies when so many are refunded, and the last is not noted as done. The next one has fewer left, and lives. */
const refundedRows = 50

it("a process that dies in the middle of a bulk refund leaves every charge refunded, once", {
  timeout: 300_000,
}, async ({ onTestFinished }) => {
  const stage = await openStage({
    SIMULATOR_DELAY_MS: "3600000",
    FAULT_POINT: `after:refunds.create#${refundedRows}`,
  })
  onTestFinished(stage.close)
  const { service } = stage
  const seller = await stage.newSeller()
  const dashboard = dashboardClient(service.url, await signInAsSeller(service, seller.id), "test")
  const amounts = Array.from({ length: rows }, (_, row) => 1_000 + row * 100)
  const ids = (await Promise.all(amounts.map((amount) => payNow(seller.test, amount)))).map(({ id }) => id)

  const headers = { "Idempotency-Key": freshKey() }
  const answer = await dashboard.post<Bulk>("/v1/me/bulk", { body: { act: "refund", ids }, headers })
  expect(answer.status).toBe(202)
  const now = async () => (await dashboard.get<Bulk>(`/v1/me/bulk/${answer.body.id}`)).body
  expect(await service.ended()).toEqual({ code: null, signal: "SIGKILL" })
  await service.restart()

  const done = await eventually(
    "the next process to do the rest",
    async () => {
      const bulk = await now()
      return bulk.state === "done" ? bulk : undefined
    },
    120_000,
  )
  expect(done).toMatchObject({ total: rows, done: rows, failed: [] })
  const refunds: Array<Refund> = []
  for (const id of ids) {
    const { body } = await seller.test.get<{ data: Array<Refund> }>(`/v1/refunds?transaction_id=${id}`)
    refunds.push(...body.data)
  }
  expect(refunds.map(({ transaction_id }) => transaction_id)).toEqual(ids)
})
