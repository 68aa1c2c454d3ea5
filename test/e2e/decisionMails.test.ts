import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { until } from "../support/until.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { mailsTo, type StoredMail } from "./support/mails.ts"
import { openPixShop } from "./support/pixKeys.ts"
import { findKey, openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage()
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

/** Gives a seller an owner who can be mailed. */
const owned = async (seller: Pick<Seller, "id">) => {
  const { email, userId } = await signInAsSeller(stage.service, seller.id)
  await stage.redis("HSET", await findKey(stage, `seller:*:${seller.id}`), "user", userId)
  const mails = async (count: number): Promise<ReadonlyArray<StoredMail>> => {
    await until(`${count} mails to ${email}`, async () => (await mailsTo(stage, email)).length >= count)
    return mailsTo(stage, email)
  }
  return { id: seller.id, mails }
}

const act = async ({ id }: { readonly id: string }, what: string, body: unknown): Promise<void> => {
  const method = what === "settings" ? "PATCH" : "POST"
  const { status } = await operator.send(method, `/v1/admin/sellers/${id}/${what}`, body)
  expect(status).toBe(200)
}

describe("mails about what operators decide", () => {
  it("the owner is mailed each change of its account once, without the operator's reason", async () => {
    const seller = await owned(await stage.newSeller({ kycStatus: "pending", document: "52998224725" }))
    const reason = "an internal note"
    await act(seller, "kyc", { status: "rejected", reason })
    await act(seller, "kyc", { status: "approved", reason })
    await act(seller, "kyc", { status: "approved", reason })
    await act(seller, "status", { status: "suspended", reason })
    await act(seller, "status", { status: "active", reason })
    await act(seller, "payout-lock", { until: "2099-01-01T12:00:00.000Z", reason })
    await act(seller, "payout-lock", { until: null, reason })
    await act(seller, "settings", { charge_fee_fixed: 60 })
    await act(seller, "settings", { charge_fee_fixed: 60 })
    const mails = await seller.mails(7)
    expect(mails.map(({ purpose }) => purpose)).toEqual([
      ...["kyc_rejected", "kyc_approved", "seller_suspended", "seller_reactivated"],
      ...["payouts_locked", "payouts_unlocked", "settings_changed"],
    ])
    expect(mails[4]?.text).toContain("até 01/01/2099, 09:00:00 (horário de Brasília)")
    expect(JSON.stringify(mails)).not.toContain(reason)
  })

  it("changed fees are mailed with what was before and what is now, and nothing that stayed", async () => {
    const seller = await owned(await stage.newSeller())
    await act(seller, "settings", {
      charge_fee_bps: 99,
      charge_fee_fixed: 0,
      withdrawal_daily_count: 5,
      withdrawal_auto_approval: true,
    })
    const [mail] = await seller.mails(1)
    const lines = mail?.text.split("\n") ?? []
    expect(lines.slice(2, lines.indexOf("", 3))).toEqual([
      "Tarifa por cobrança (%): 0,00 % → 0,99 %",
      "Saques por dia: 20 → 5",
      "Aprovar saques sozinho, sem operador: não → sim",
    ])
  })

  it("the owner is mailed whether a Pix key was approved, by its masked value", async () => {
    const shop = await openPixShop(stage)
    const seller = await owned(shop.seller)
    const keys = [await shop.live.register(), await shop.live.register()]
    for (const [i, what] of ["approve", "refuse"].entries()) {
      const { status } = await operator.send("POST", `/v1/admin/pix-keys/${keys[i]?.id}/${what}`, {})
      expect(status).toBe(200)
    }
    const mails = await seller.mails(2)
    expect(mails.map(({ purpose }) => purpose)).toEqual(["pix_key_approved", "pix_key_refused"])
    for (const { text } of mails) expect(text).toContain("***@example.com")
  })
})
