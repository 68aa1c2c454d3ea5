import { readFileSync } from "node:fs"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { sellerAuditKey } from "../../src/store/keys.ts"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { saved } from "./support/downloads.ts"

describePages("the account's activity", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit()
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  interface Act {
    readonly action: string
    readonly resourceType: string
    readonly resourceId: string
    readonly details?: object
    readonly actor?: object
    readonly ipAddress?: string | null
  }

  /** Appends to a seller's log what others have done. */
  const tell = async (seller: SellerPerson, act: Act): Promise<void> => {
    const actor = { type: "user", id: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4", name: "Beatriz Lima" }
    const whole = { actor, details: {}, ipAddress: "203.0.113.77", ...act }
    await cockpit.stage.redis("XADD", sellerAuditKey(seller.sellerId), "*", "act", JSON.stringify(whole))
  }

  const someActs = async (seller: SellerPerson) => {
    const operator = { actor: { type: "operator", id: null, name: null }, ipAddress: null }
    const key = { type: "api_key", id: "key_01KA0000000700000000000000", name: "Loja virtual" }
    const mode = "test"
    await tell(seller, {
      ...{ action: "member.joined", resourceType: "member", resourceId: "mem_01KA0000000700000000000000" },
      details: { role: "support", refund_limit: 5_000 },
    })
    await tell(seller, {
      ...{ action: "transaction.refund_requested", resourceType: "transaction" },
      ...{ resourceId: "txn_01KA0000000700000000000000", details: { mode, amount: 8_000 } },
    })
    await tell(seller, {
      ...{ action: "withdrawal.requested", resourceType: "withdrawal", actor: key },
      ...{ resourceId: "wd_01KA0000000700000000000000", details: { mode: "live", amount: 20_000 } },
    })
    await tell(seller, {
      ...{ action: "seller.payouts_locked", resourceType: "seller", resourceId: seller.sellerId },
      ...{ details: { until: "2099-01-01T00:00:00Z" }, ...operator },
    })
    await tell(seller, {
      ...{ action: "report.left", resourceType: "report", resourceId: "rep_01KA0000000700000000000000" },
      ...{ details: { mode, email: "c***@example.com" }, ipAddress: null },
      actor: { type: "recipient", id: null, name: null },
    })
    await tell(seller, {
      ...{ action: "user.second_factor_recovered", resourceType: "user", resourceId: "user" },
    })
  }

  it("says who did what, with what it was about, and leads there", async () => {
    const seller = await cockpit.seller()
    await someActs(seller)
    const page = await cockpit.open("/app/settings", { as: seller })
    await page.getByTestId("activity-open").click()
    await ready(page)
    const row = (action: string) => page.locator(`[data-testid=activity-row][data-action="${action}"]`)
    expect(await row("user.signed_in").textContent()).toMatch(/Loja \(você\)\s*Entrou no painel\s*com código/)
    const refund = row("transaction.refund_requested")
    expect(await refund.textContent()).toMatch(
      /Beatriz Lima\s*Pediu uma devolução\s*R\$\s80,00 · modo de teste\s*203\.0\.113\.77/,
    )
    expect(await refund.getByRole("link").getAttribute("href")).toBe(
      "/app/charges/txn_01KA0000000700000000000000",
    )
    // Its page is one of the other mode.
    expect(await row("withdrawal.requested").getByRole("link").count()).toBe(0)
    expect(await row("withdrawal.requested").textContent()).toContain("Loja virtual (chave de API)")
    expect(await row("member.joined").textContent()).toContain("até R$\u00a050,00 · atendimento")
    expect(await row("seller.payouts_locked").textContent()).toMatch(/Corrente\s*Bloqueou os saques/)
    expect(await row("report.left").textContent()).toContain("Quem recebe o e-mail")
    await expectLooksRight(page, "activity")
    await page.context().close()
  })

  it("is filtered by who, what and when, kept in the address, and cleared", async () => {
    const seller = await cockpit.seller()
    await someActs(seller)
    const page = await cockpit.open("/app/settings/activity", { as: seller })
    const actions = () =>
      page.getByTestId("activity-row").evaluateAll((all) => all.map((one) => one.dataset.action))
    await page.getByTestId("activity-who").selectOption({ label: "Beatriz Lima" })
    await expect
      .poll(actions)
      .toEqual(["user.second_factor_recovered", "transaction.refund_requested", "member.joined"])
    await page.getByTestId("activity-what").selectOption("money")
    await expect.poll(actions).toEqual(["transaction.refund_requested"])
    await page.reload()
    await ready(page)
    expect(await actions()).toEqual(["transaction.refund_requested"])
    const file = await saved(page, "csv")
    expect(file.suggestedFilename()).toMatch(/^atividade-da-conta-\d{4}-\d\d-\d\d\.csv$/)
    const text = readFileSync(await file.path(), "utf8")
    expect(text.trimEnd().split("\r\n")).toHaveLength(2)
    expect(text).toContain("Beatriz Lima;Pediu uma devolução;203.0.113.77")
    await page.getByTestId("activity-what").selectOption("webhooks")
    await page.getByText("Nada com estes filtros").waitFor()
    await expectLooksRight(page, "activity-none")
    await page.getByTestId("activity-clear").click()
    await expect.poll(async () => (await actions()).length).toBe(7)
    await page.getByTestId("activity-who").selectOption("operator")
    await expect.poll(actions).toEqual(["seller.payouts_locked"])
    await page.context().close()
  })

  it("shows what happened since at a press of a button, and reads more below", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings/activity", { as: seller, locale: "en-US" })
    const rows = page.getByTestId("activity-row")
    expect(await rows.count()).toBe(1)
    for (let count = 0; count < 60; count++)
      await tell(seller, { action: "notifications.set", resourceType: "seller", resourceId: seller.sellerId })
    await page.getByTestId("activity-refresh").click()
    await expect.poll(() => rows.count()).toBe(50)
    await page.getByRole("button", { name: "Show more" }).click()
    await expect.poll(() => rows.count()).toBe(61)
    expect(await rows.last().textContent()).toMatch(/\(you\)\s*Signed in\s*with a code/)
    await page.context().close()
  })
})
