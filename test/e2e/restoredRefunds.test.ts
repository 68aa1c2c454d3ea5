import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { acquirerRefundIdOf } from "../../schema/ids.ts"
import { runOps } from "../ops/cli.ts"
import { until } from "../support/until.ts"
import { type ApiPixStage, auditVerify, openApiPixStage, payCharge, soundBooks } from "./support/apiPix.ts"
import { getRefund, refund, refundBuckets, refundWhen } from "./support/refunds.ts"

let stage: ApiPixStage
let backups: string
beforeAll(async () => {
  backups = mkdtempSync(join(tmpdir(), "corrente-backups-"))
  stage = await openApiPixStage()
})
afterAll(async () => {
  await stage?.close()
  rmSync(backups, { recursive: true, force: true })
})

const ops = async (...words: ReadonlyArray<string>) => {
  const { exitCode, stdout } = await runOps(words, { DATA_DIR: stage.service.dataDir })
  if (exitCode !== 0) throw new Error(`ops ${words.join(" ")} failed: ${stdout}`)
}

/** No sweep is complete from now on, which keeps refunds from being handed over. */
const freeze = () =>
  stage.psp.fail(/^GET \/v\d\/gn\/pix\/enviados\?/, { kind: "answer", status: 503 }, 10_000)

it("a refund that is pending in the backup and made at the bank ends during the freeze, and is not sent again", async () => {
  const { live } = await stage.newSeller()
  const { charge, endToEndId } = await payCharge(stage, live)
  freeze()
  await stage.service.terminate()
  await stage.service.restart()
  const made = await refund(live, charge.id, { amount: 3_000 })
  await until("the worker to wait", () => stage.service.log().includes("payouts and refunds wait"))
  expect((await getRefund(live, made.id)).status).toBe("pending")
  const dir = join(backups, "pending")
  await ops("backup", dir)

  stage.psp.heal()
  const id = acquirerRefundIdOf(made.id)
  const put = `PUT /pix/${endToEndId}/devolucao/${id}`
  await stage.psp.waitFor(put, 1)
  stage.psp.refundOf(endToEndId, { id, amount: 3_000, status: "DEVOLVIDO" })
  await refundWhen(live, made.id, "succeeded")

  freeze()
  await stage.service.terminate()
  await ops("restore", "--force", dir)
  await stage.service.restart()
  await refundWhen(live, made.id, "succeeded")
  expect(await refundBuckets(live)).toEqual({ available: 9_990, reserve: 0, pending_refund: 0 })
  expect(stage.psp.requestsOf(put)).toHaveLength(1)
  expect(await auditVerify(stage)).toEqual(soundBooks)
})
