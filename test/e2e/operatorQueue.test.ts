import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Queue } from "../../schema/api/queue.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openExceptionStore } from "./support/exceptions.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { fund, withdraw } from "./support/withdrawals.ts"

let stage: Stage
let operator: DashboardClient
let exceptions: ReturnType<typeof openExceptionStore>
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
  exceptions = openExceptionStore(stage)
})
afterAll(async () => {
  await exceptions?.dispose()
  await stage?.close()
})

const readQueue = async (): Promise<Queue> => (await operator.get<Queue>("/v1/admin/queue")).body

const newAwaiting = async (name: string, amount: number) => {
  const seller = await stage.newSeller({ name })
  await fund(seller.live, 20_000)
  return { seller, withdrawal: await withdraw(seller.live, await makePixKey(stage, seller, "live"), amount) }
}

describe("the operators' queue", () => {
  it("is empty where nothing waits", async () => {
    expect(await readQueue()).toEqual({
      object: "queue",
      data: [],
      counts: { withdrawals: 0, payouts: 0, exceptions: 0, pix_keys: 0, sellers: 0 },
      to_pay: 0,
      received_today: 0,
      is_complete: true,
    })
  })

  it("counts what payers of all sellers have paid today in live, and nothing of test mode", async () => {
    const { received_today: before } = await readQueue()
    const [one, other] = [await stage.newSeller(), await stage.newSeller()]
    await fund(one.live, 20_000)
    await fund(other.live, 12_300)
    await fund(other.test, 50_000)
    expect((await readQueue()).received_today - before).toBe(32_300)
  })

  it("has all that waits with its seller's name, money first and the larger amount before the smaller", async () => {
    const small = await newAwaiting("Loja da Ana", 5_000)
    const large = await newAwaiting("Loja do Rui", 9_000)
    const exception = await exceptions.openUnknown()
    const applicant = await stage.newSeller({
      name: "Loja nova",
      kycStatus: "pending",
      document: "52998224725",
    })
    const pixKey = await makePixKey(stage, small.seller, "live", "pending_approval")
    await operator.send("POST", `/v1/admin/sellers/${large.seller.id}/status`, { status: "suspended" })

    const { data, counts, to_pay, is_complete } = await readQueue()
    expect(data).toEqual([
      {
        kind: "withdrawal",
        id: large.withdrawal.id,
        mode: "live",
        amount: 9_000,
        detail: "***@example.com",
        seller_id: large.seller.id,
        seller_name: "Loja do Rui",
        is_blocked: true,
        created_at: large.withdrawal.created_at,
      },
      expect.objectContaining({ id: small.withdrawal.id, seller_name: "Loja da Ana", is_blocked: false }),
      expect.objectContaining({
        kind: "exception",
        id: exception,
        amount: 700,
        detail: "payment_unknown",
        seller_id: null,
        seller_name: null,
      }),
      expect.objectContaining({ kind: "seller", id: applicant.id, mode: null, seller_name: "Loja nova" }),
      expect.objectContaining({ kind: "pix_key", id: pixKey, amount: null, seller_name: "Loja da Ana" }),
    ])
    expect(counts).toEqual({ withdrawals: 2, payouts: 0, exceptions: 1, pix_keys: 1, sellers: 1 })
    expect([to_pay, is_complete]).toEqual([14_000, true])
  })

  it("no longer has what was decided", async () => {
    const { withdrawal } = await newAwaiting("Loja da Bia", 5_000)
    const isQueued = async () => (await readQueue()).data.some(({ id }) => id === withdrawal.id)
    expect(await isQueued()).toBe(true)
    await operator.send("POST", `/v1/admin/withdrawals/${withdrawal.id}/reject`, { reason: "Outro titular" })
    expect(await isQueued()).toBe(false)
  })
})
