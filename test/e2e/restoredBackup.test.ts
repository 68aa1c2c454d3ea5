import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runOps } from "../ops/cli.ts"
import { until } from "../support/until.ts"
import {
  type ApiPixStage,
  auditVerify,
  openApiPixStage,
  payCharge,
  received,
  soundBooks,
} from "./support/apiPix.ts"
import {
  approve,
  expectPaidOnce,
  openPayee,
  payoutOf,
  request,
  send,
  sendingsOf,
} from "./support/apiPixPayouts.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import { freezeReason, untilFrozenBy } from "./support/sweeps.ts"
import { getWithdrawal, withdrawalWhen } from "./support/withdrawals.ts"

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

/** Restores a backup under the service, as an operator does. */
const restore = async (dir: string) => {
  await stage.service.terminate()
  await ops("restore", "--force", dir)
  await stage.service.restart()
}

/** The beginning of the requests for the PSP's list of payouts. */
const listOfPayouts = "GET /v2/gn/pix/enviados?"

describe("a restored backup", () => {
  it("a payout made after the backup is found, told and not made again, even where it is approved anew", async () => {
    await untilFrozenBy(stage, null)
    const payee = await openPayee(stage)
    const requested = await request(stage, payee)
    const { live, withdrawal, payoutId } = requested
    const payer = await stage.newSeller()
    const charge = await makeCharge(payer.live)
    const dir = join(backups, "first")
    await ops("backup", dir)
    await approve(stage, requested)
    await stage.psp.waitFor(`PUT /v3/gn/pix/${payoutId}`, 1)
    stage.psp.payoutResult(payoutId, "REALIZADO")
    expect(await stage.tell({ idEnvio: payoutId })).toBe(received)
    await withdrawalWhen(live, withdrawal.id, "successful")
    const endToEndId = stage.psp.pay(charge.pix.txid)
    expect(await stage.tell({ endToEndId })).toBe(received)
    await chargeWhen(payer.live, charge.id, "paid")

    stage.psp.fail(listOfPayouts, { kind: "answer", status: 503 }, 10_000)
    await restore(dir)
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("awaiting")
    await approve(stage, requested)
    expect(await freezeReason(stage)).toBe("the acquirer's books are being compared with ours first")
    expect((await fetch(`${stage.service.url}/ready`)).status).toBe(200)
    await until("the worker to wait", () => stage.service.log().includes("payouts and refunds wait"))
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("approved")
    expect(sendingsOf(stage, requested)).toHaveLength(1)

    stage.psp.heal()
    await untilFrozenBy(stage, null)
    await withdrawalWhen(live, withdrawal.id, "successful")
    await expectPaidOnce(stage, requested)
    expect(sendingsOf(stage, requested)).toHaveLength(1)
    expect(await chargeWhen(payer.live, charge.id, "paid")).toMatchObject({ end_to_end_id: endToEndId })
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })

  it("a payout of a withdrawal that the backup does not have keeps payouts frozen", async () => {
    const payee = await openPayee(stage)
    const other = await openPayee(stage)
    const dir = join(backups, "second")
    await ops("backup", dir)
    const lost = await send(stage, payee)
    stage.psp.payoutResult(lost.payoutId, "REALIZADO")
    expect(await stage.tell({ idEnvio: lost.payoutId })).toBe(received)
    await withdrawalWhen(lost.live, lost.withdrawal.id, "successful")

    await restore(dir)
    await untilFrozenBy(stage, "1 open exception of payouts")
    const waiting = await request(stage, other)
    await approve(stage, waiting)
    // Charges are not held up.
    await payCharge(stage, other.live)
    await until("the worker to wait", () => stage.service.log().includes("1 open exception of payouts"))
    expect((await getWithdrawal(other.live, waiting.withdrawal.id)).status).toBe("approved")
    expect(sendingsOf(stage, waiting)).toEqual([])
    expect(payoutOf(stage, lost).status).toBe("REALIZADO")
    expect(stage.psp.payouts.get(lost.payoutId)).toBe(1)
  })
})
