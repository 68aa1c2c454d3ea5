import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { runOps } from "../ops/cli.ts"
import { until } from "../support/until.ts"
import { type ApiPixStage, openApiPixStage } from "./support/apiPix.ts"
import { approve, expectPaidOnce, type Requested, request, sendingsOf } from "./support/apiPixPayouts.ts"
import { untilFrozenBy } from "./support/sweeps.ts"
import { getWithdrawal, withdrawalWhen } from "./support/withdrawals.ts"

let stage: ApiPixStage
beforeAll(async () => {
  stage = await openApiPixStage()
})
afterAll(async () => {
  await stage?.close()
})

const ops = (...words: ReadonlyArray<string>) => runOps(words, { DATA_DIR: stage.service.dataDir })
const metric = async () => {
  const text = await (await fetch(`${stage.service.url}/metrics`)).text()
  return /^corrente_sweep_unreadable_items (\S+)$/m.exec(text)?.[1]
}

/** Has the PSP list an item with this amount, which is none, among the Pix that it received. */
const listItem = (valor: string) => {
  const item = { endToEndId: "E9", txid: "caixa-7", valor, horario: "2026-11-21T00:07:35.123Z" }
  stage.psp.heal()
  stage.psp.fail(
    /^GET \/pix\?/,
    { kind: "changed", change: (body) => ({ ...body, pix: [...(body.pix as Array<object>), item] }) },
    10_000,
  )
}

const oneItem = "1 item of the acquirer's books cannot be read, see `ops sweep show`"
let requested: Requested
let digest: string

describe("an item of the acquirer's books that no sweep can read", () => {
  it("the item freezes payouts after a start, and operators are told which it is", async () => {
    requested = await request(stage)
    await untilFrozenBy(stage, null)
    listItem("-1.00")
    await stage.service.terminate()
    await stage.service.restart()
    await untilFrozenBy(stage, oneItem)
    await approve(stage, requested)
    const { exitCode, document } = await ops("sweep", "show")
    expect(exitCode).toBe(0)
    const [account] = document.accounts
    expect(account).toMatchObject({ unreadable_count: 1, accepted: [] })
    expect(account.unreadable).toMatchObject([
      { list: "received", end_to_end_id: "E9", payout_id: null, txid: "caixa-7" },
    ])
    expect(account.unreadable[0].problem).toMatch(/^valor: (?!.*-1\.00)/)
    digest = account.unreadable[0].item
    await until("the metric", async () => (await metric()) === "1")
    expect(sendingsOf(stage, requested)).toEqual([])
    expect((await getWithdrawal(requested.live, requested.withdrawal.id)).status).toBe("approved")
  })

  it("payouts go out once an operator has accepted the item, and the operators' log says so", async () => {
    const accepted = await ops("sweep", "accept", "--item", digest, "--reason", "The bank's own test")
    expect(accepted).toMatchObject({ exitCode: 0, stderr: "" })
    expect(accepted.document).toMatchObject({ item: digest, list: "received", reason: "The bank's own test" })
    await untilFrozenBy(stage, null)
    await until("the payout", () => stage.psp.payout(requested.payoutId) !== undefined)
    stage.psp.payoutResult(requested.payoutId, "REALIZADO")
    await withdrawalWhen(requested.live, requested.withdrawal.id, "successful")
    await expectPaidOnce(stage, requested)
    const { document } = await ops("sweep", "show")
    expect(document.accounts).toMatchObject([
      { unreadable_count: 0, unreadable: [], accepted: [{ item: digest }] },
    ])
    await until("the metric", async () => (await metric()) === "0")
    const { body } = await stage.operator.send<{ data: ReadonlyArray<AuditEntry> }>("GET", "/v1/admin/audit")
    expect(body.data.filter(({ action }) => action === "sweep.item_accepted")).toMatchObject([
      {
        ...{ operator_id: null, resource_type: "sweep", resource_id: document.accounts[0].account },
        details: { item: digest, list: "received", end_to_end_id: "E9", reason: "The bank's own test" },
      },
    ])
  })

  it("an accepted item lets a later start through, and freezes payouts again once its content has changed", async () => {
    await stage.service.terminate()
    await stage.service.restart()
    await untilFrozenBy(stage, null)
    listItem("-2.00")
    await stage.service.terminate()
    await stage.service.restart()
    await untilFrozenBy(stage, oneItem)
    const { document } = await ops("sweep", "show")
    expect(document.accounts[0].unreadable[0].item).not.toBe(digest)
    stage.psp.heal()
    await untilFrozenBy(stage, null)
    expect((await ops("sweep", "show")).document.accounts[0]).toMatchObject({
      unreadable_count: 0,
      unreadable: [],
    })
  })
})
