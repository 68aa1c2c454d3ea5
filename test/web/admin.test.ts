import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Exception } from "../../schema/resources/exception.ts"
import type { Invite } from "../../schema/resources/operator.ts"
import type { SellerProfile } from "../../schema/resources/seller.ts"
import type { Person } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { eventually, type Page as ListPage } from "../e2e/support/client.ts"
import { type DashboardClient, dashboardClient } from "../e2e/support/dashboardClient.ts"
import { openExceptionStore } from "../e2e/support/exceptions.ts"
import { noticeSettings, paymentBody, postNotice, recordsOf } from "../e2e/support/notices.ts"
import { paidCharge } from "../e2e/support/refunds.ts"
import type { Seller } from "../e2e/support/stage.ts"
import { balanceOf, fund, getWithdrawal, withdraw, withdrawalWhen } from "../e2e/support/withdrawals.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import {
  type Cockpit,
  describePages,
  expectLooksRight,
  openCockpit,
  ready,
  signInByPages,
  type TabOptions,
} from "./support/cockpit.ts"
import { confirmStepUp, endStepUp } from "./support/stepUp.ts"

/** Markup, a mark that turns the direction of text, and 120 characters without a space. */
const hostileName = `<img src=x onerror=alert(1)>\u202Egnirts ${"W".repeat(91)}`

describePages("the operators' desk", () => {
  let cockpit: Cockpit
  let operator: Person
  let api: DashboardClient
  let exceptions: ReturnType<typeof openExceptionStore>
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "50", ...noticeSettings })
    operator = await cockpit.operator()
    api = dashboardClient(cockpit.stage.service.url, await signInAsOperator(cockpit.stage.service))
    exceptions = openExceptionStore(cockpit.stage)
  })
  afterAll(async () => {
    await exceptions?.dispose()
    await cockpit?.close()
  })
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  /** Keeps the operator's session: a code is accepted once, so that each further sign-in would wait for the next. */
  let first: Page | undefined
  const open = async (path: string, options: TabOptions = {}) => {
    if (first !== undefined) return cockpit.open(path, { beside: first, ...options })
    first = await cockpit.open("/app/settings", { as: operator })
    return cockpit.open(path, { beside: first, ...options })
  }

  const newAwaiting = async (options?: Parameters<Cockpit["stage"]["newSeller"]>[0]) => {
    const seller = await cockpit.stage.newSeller(options)
    await fund(seller.live, 20_000)
    const withdrawal = await withdraw(seller.live, await makePixKey(cockpit.stage, seller, "live"), 5_000)
    return { seller, withdrawal }
  }

  const row = (page: Page, id: string) => page.locator(`[data-id="${id}"]`)
  const queued = (page: Page, id: string) => page.locator(`[data-testid="queue-row"][data-id="${id}"]`)
  /** Confirms the act of the open dialog, with a reason if one is given, and returns what is told then. */
  const confirm = async (page: Page, reason?: string): Promise<string> => {
    const dialog = page.getByTestId("dialog")
    if (reason !== undefined) await dialog.getByTestId("reason-input").fill(reason)
    await dialog.getByTestId("submit").click()
    await dialog.waitFor({ state: "detached" })
    await expect.poll(() => page.getByTestId("notice").textContent()).not.toBe("")
    return (await page.getByTestId("notice").textContent()) ?? ""
  }

  const sellerNow = async ({ id }: Pick<Seller, "id">) =>
    (await api.get<SellerProfile>(`/v1/admin/sellers/${id}`)).body

  it("an operator who signs in with a code comes to the desk, and sees what waits", async () => {
    await newAwaiting()
    await cockpit.stage.newSeller({ kycStatus: "pending", document: "52998224725" })
    const page = await cockpit.open("/app/sign-in")
    await signInByPages(cockpit, page, await cockpit.operator())
    expect(new URL(page.url()).pathname).toBe("/app/admin")
    for (const [name, to] of [
      ["withdrawals", "/app/admin/withdrawals"],
      ["kyc", "/app/admin/sellers?kyc_status=pending"],
    ]) {
      const count = page.getByTestId(`count-${name}`)
      await expect.poll(() => count.getAttribute("href")).toBe(to)
      await expect.poll(() => count.locator("[data-count]").getAttribute("data-count")).toBe("1")
    }
    await expectLooksRight(page, "admin-desk")
    await page.context().close()
  })

  it("an operator decides the queue by keyboard, with what decides each case beside it", async () => {
    const small = await newAwaiting({ name: "Loja da Ana" })
    const large = await cockpit.stage.newSeller({ name: "Loja do Rui" })
    await fund(large.live, 20_000)
    const key = await makePixKey(cockpit.stage, large, "live")
    const withdrawal = await withdraw(large.live, key, 9_000)
    const page = await open("/app/admin")
    await page.setViewportSize({ width: 1280, height: 900 })
    const panel = page.getByTestId("case")
    const shown = () => panel.getAttribute("data-id")
    await expect.poll(shown).toBe(withdrawal.id)
    await panel.getByTestId("dossier").getByText("Loja do Rui").waitFor()
    // A larger one that arrives meanwhile does not take its place under the reader's hands.
    const other = await cockpit.stage.newSeller()
    await fund(other.live, 20_000)
    const larger = await withdraw(other.live, await makePixKey(cockpit.stage, other, "live"), 9_500)
    await queued(page, larger.id).waitFor()
    expect(await shown()).toBe(withdrawal.id)
    await page.keyboard.press("j")
    await expect.poll(shown).not.toBe(withdrawal.id)
    await page.keyboard.press("k")
    await expect.poll(shown).toBe(withdrawal.id)
    await panel.getByTestId("dossier").waitFor()
    await page.keyboard.press("r")
    expect(await confirm(page, "Outro titular")).toMatch(/rejeitado/)
    await queued(page, withdrawal.id).waitFor({ state: "detached" })
    expect(await getWithdrawal(large.live, withdrawal.id)).toMatchObject({ status: "rejected" })

    await page.goto(`${cockpit.stage.service.url}/app/admin?case=${small.withdrawal.id}`)
    await panel.getByTestId("dossier").getByText("Loja da Ana").waitFor()
    await page.keyboard.press("a")
    expect(await confirm(page)).toMatch(/aprovado/)
    await withdrawalWhen(small.seller.live, small.withdrawal.id, "successful")
    await page.close()
  })

  it("on a phone a case of the queue is a page, with the way back to the queue", async () => {
    const { withdrawal } = await newAwaiting()
    const page = await open("/app/admin")
    await page.setViewportSize({ width: 390, height: 844 })
    await queued(page, withdrawal.id).click()
    const panel = page.getByTestId("case")
    await panel.getByTestId("dossier").waitFor()
    expect(await page.getByTestId("queue-row").first().isVisible()).toBe(false)
    await expectLooksRight(page, "admin-desk-case")
    await page.setViewportSize({ width: 390, height: 844 })
    await panel.getByRole("link", { name: "Fila" }).click()
    await page.getByTestId("queue-row").first().waitFor()
    expect(await panel.isVisible()).toBe(false)
    await page.close()
  })

  it("an empty desk says so, and so does each empty list", async () => {
    const other = await openCockpit()
    try {
      const boss = await other.operator()
      const page = await other.open("/app/admin", { as: boss })
      expect(
        await page.getByTestId("count-withdrawals").locator("[data-count]").getAttribute("data-count"),
      ).toBe("0")
      await expectLooksRight(page, "admin-desk-empty")
      for (const name of [
        "withdrawals",
        "exceptions",
        "sellers",
        "pix-keys",
        "inbox",
        "closings",
        "invites",
      ]) {
        await page.goto(`${other.stage.service.url}/app/admin/${name}`)
        await ready(page)
        expect(await page.locator(".empty").count(), name).toBe(1)
      }
      await page.context().close()
      expect(other.complaints()).toEqual([])
    } finally {
      await other.close()
    }
  })

  it("an operator approves a live withdrawal with what decides it beside it, and it is paid", async () => {
    const { seller, withdrawal } = await newAwaiting({ name: "Loja da Ana" })
    const page = await open("/app/admin/withdrawals")
    const found = row(page, withdrawal.id)
    const dossier = found.getByTestId("dossier")
    await dossier.waitFor()
    const said = await dossier.textContent()
    for (const part of ["Loja da Ana", "***@example.com", "Não bloqueados", "primeiro saque"])
      expect(said).toContain(part)
    await found.getByTestId("approve").click()
    await expect
      .poll(() => page.getByTestId("dialog").textContent())
      .toMatch(/R\$\s50,00 serão enviados por Pix/)
    expect(await confirm(page)).toMatch(/aprovado/)
    await found.waitFor({ state: "detached" })
    await withdrawalWhen(seller.live, withdrawal.id, "successful")
    await page.close()
  })

  it("an operator rejects a withdrawal with a reason, which its seller sees", async () => {
    const { seller, withdrawal } = await newAwaiting()
    const page = await open("/app/admin/withdrawals")
    await row(page, withdrawal.id).getByTestId("reject").click()
    await expect.poll(() => page.getByTestId("dialog").textContent()).toMatch(/R\$\s51,00 voltam ao saldo/)
    expect(await confirm(page, "Outro titular")).toMatch(/rejeitado/)
    expect(await getWithdrawal(seller.live, withdrawal.id)).toMatchObject({
      status: "rejected",
      failure_reason: "Outro titular",
    })
    await page.goto(`${cockpit.stage.service.url}/app/admin/withdrawals?status=rejected`)
    await ready(page)
    await expect.poll(() => row(page, withdrawal.id).getAttribute("data-status")).toBe("rejected")
    expect(await row(page, withdrawal.id).locator(".seller-link").textContent()).toBe("Loja de teste")
    await page.close()
  })

  it("an approval that is refused says why in its dialog, and the row says so before", async () => {
    const { seller, withdrawal } = await newAwaiting()
    await api.send("POST", `/v1/admin/sellers/${seller.id}/status`, { status: "suspended" })
    const page = await open("/app/admin/withdrawals", { allows: [/Failed to load resource.* 409 /] })
    await page.getByText("O vendedor está suspenso", { exact: false }).waitFor()
    await row(page, withdrawal.id).getByTestId("approve").click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    const error = page.getByTestId("dialog").getByTestId("form-error")
    await expect.poll(() => error.textContent()).toContain("O vendedor está suspenso")
    await page.keyboard.press("Escape")
    await page.getByTestId("dialog").waitFor({ state: "detached" })
    expect(await getWithdrawal(seller.live, withdrawal.id)).toMatchObject({ status: "awaiting" })
    await page.close()
  })

  it("a withdrawal requested while the desk is open appears there by itself", async () => {
    const page = await open("/app/admin/withdrawals")
    const { withdrawal } = await newAwaiting()
    await row(page, withdrawal.id).waitFor()
    await page.close()
  })

  it("a list whose address names its default, or a status that there is not, shows its default", async () => {
    const { withdrawal } = await newAwaiting()
    for (const status of ["awaiting", "unheard-of"]) {
      const page = await open(`/app/admin/withdrawals?status=${status}`)
      await row(page, withdrawal.id).waitFor()
      const shown = page.getByTestId("filter-status").locator("option:checked")
      expect(await shown.textContent()).toBe("Aguardando aprovação")
      await page.close()
    }
  })

  it("an operator approves and refuses Pix keys", async () => {
    const seller = await cockpit.stage.newSeller()
    const [good, bad] = [
      await makePixKey(cockpit.stage, seller, "live", "pending_approval"),
      await makePixKey(cockpit.stage, seller, "live", "pending_approval"),
    ]
    const page = await open("/app/admin/pix-keys")
    await row(page, bad).waitFor()
    expect(await row(page, bad).locator(".seller-link").textContent()).toBe("Loja de teste")
    await expectLooksRight(page, "admin-pix-keys-waiting")
    await row(page, good).getByTestId("approve").click()
    expect(await confirm(page)).toMatch(/aprovada/)
    await row(page, bad).getByTestId("refuse").click()
    expect(await confirm(page, "Outro titular")).toMatch(/recusada/)
    await row(page, bad).waitFor({ state: "detached" })
    const { body } = await api.get<ListPage<{ id: string; status: string }>>(
      `/v1/admin/pix-keys?seller_id=${seller.id}`,
    )
    expect(new Map(body.data.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        [good, "verified"],
        [bad, "refused"],
      ]),
    )
    await page.close()
  })

  it("an operator decides a seller's identification, suspends it, locks its withdrawals and undoes both", async () => {
    const seller = await cockpit.stage.newSeller({ kycStatus: "pending", document: "52998224725" })
    const page = await open(`/app/admin/sellers/${seller.id}`)
    const act = async (button: string, reason?: string) => {
      await page.getByTestId(button).click()
      await confirm(page, reason)
      return sellerNow(seller)
    }
    expect(await act("kyc-approve")).toMatchObject({ kyc_status: "approved" })
    expect(await act("seller-status-change", "Muitas contestações")).toMatchObject({ status: "suspended" })
    await page.locator('[data-testid="seller-status"][data-status="suspended"]').waitFor()
    expect(await act("seller-status-change")).toMatchObject({ status: "active" })
    expect(Date.parse((await act("payout-lock", "Em análise")).payout_locked_until ?? "")).toBeGreaterThan(
      Date.now(),
    )
    await page.getByTestId("payout-unlock").waitFor()
    expect(await act("payout-unlock")).toMatchObject({ payout_locked_until: null })
    await page.locator('[data-action="seller.payouts_unlocked"]').waitFor()
    const said = await page.locator('[data-action="seller.status_set"]').first().textContent()
    expect(said).toContain("Você")
    await expectLooksRight(page, "admin-seller")
    await page.close()
  })

  it("a seller's fees are checked, confirmed with what changes, and take effect", async () => {
    const seller = await cockpit.stage.newSeller()
    const page = await open(`/app/admin/sellers/${seller.id}`)
    const settings = page.getByTestId("settings")
    const fee = settings.getByTestId("setting-charge_fee_bps")
    const submit = settings.getByTestId("submit")
    await fee.fill("100,01")
    await submit.click()
    await expect.poll(() => settings.getByTestId("form-error").textContent()).toContain("100,00 %")
    await fee.fill("0,99")
    await settings.locator('[name="withdrawal_auto_approval"]').check()
    await submit.click()
    await expect.poll(() => page.getByTestId("dialog").textContent()).toMatch(/0,00 % → 0,99 %/)
    expect(await confirm(page)).toMatch(/atualizados/)
    expect((await sellerNow(seller)).settings).toMatchObject({
      charge_fee_bps: 99,
      withdrawal_auto_approval: true,
      withdrawal_fee: 100,
    })
    await expect.poll(() => settings.getByTestId("setting-charge_fee_bps").inputValue()).toBe("0,99")
    await page.close()
  })

  it("an operator refunds a part of a charge by its id", async () => {
    const seller = await cockpit.stage.newSeller({ name: "Loja da Bia" })
    const charge = await paidCharge(seller.live, 20_000)
    const other = await cockpit.stage.newSeller()
    const page = await open(`/app/admin/sellers/${other.id}`)
    const form = page.getByTestId("operator-refund")
    await form.getByTestId("transaction-input").fill(charge.id)
    await form.getByTestId("amount-input").fill("50,00")
    await form.getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("dialog").textContent()).toMatch(/R\$\s50,00 desta cobrança/)
    const facts = await page.getByTestId("refund-facts").textContent()
    expect(facts).toContain("Loja da Bia")
    expect(facts).toMatch(/R\$\s200,00/)
    expect(await page.getByTestId("dialog").textContent()).toMatch(/é de outro vendedor/)
    await expectLooksRight(page, "admin-refund-dialog")
    expect(await confirm(page, "Pedido do pagador")).toMatch(/pedida/)
    await eventually("the refund to leave the balance", async () =>
      (await balanceOf(seller.live)).available === 15_000 ? true : undefined,
    )
    await page.close()
  })

  it("an operator finds a seller by words of its name, and is told when there is none", async () => {
    const { id } = await cockpit.stage.newSeller({ name: "Confeitaria Açúcar & Cia" })
    const page = await open("/app/admin/sellers")
    const search = page.getByTestId("seller-search")
    await search.fill("acucar conf")
    await search.press("Enter")
    await expect
      .poll(() => page.getByTestId("seller-row").evaluateAll((rows) => rows.map((row) => row.dataset.id)))
      .toEqual([id])
    await expectLooksRight(page, "admin-sellers-found")
    await search.fill("nenhum assim")
    await search.press("Enter")
    await expect.poll(() => page.locator(".empty").textContent()).toContain("nenhum assim")
    await expectLooksRight(page, "admin-sellers-none-found")
    await page.close()
  })

  it("an operator reads a seller's charge, and refunds the rest of it from its page", async () => {
    const seller = await cockpit.stage.newSeller({ name: "Loja da Bia" })
    const charge = await paidCharge(seller.live, 20_000)
    const page = await open(`/app/admin/charges/${charge.id}`)
    expect(await page.getByTestId("page").textContent()).toContain("Loja da Bia")
    await page.locator('.timeline [data-type="transaction.paid"]').waitFor()
    await page.getByTestId("refund").click()
    await page.getByTestId("dialog").getByTestId("amount-input").fill("120,00")
    expect(await confirm(page, "Pedido do pagador")).toMatch(/pedida/)
    await page.locator('[data-testid="refund-row"][data-status="succeeded"]').waitFor()
    await page.getByTestId("refund").click()
    await expect.poll(() => page.getByTestId("dialog").getByTestId("amount-input").inputValue()).toBe("80,00")
    await page.keyboard.press("Escape")
    await expectLooksRight(page, "admin-charge")
    await page.close()
  })

  it("an operator invites somebody, and revokes the invite", async () => {
    const page = await open("/app/admin/invites")
    const email = `ana-${Date.now()}@example.com`
    await page.getByTestId("invite-create").click()
    await page.getByTestId("dialog").getByTestId("email-input").fill(email)
    expect(await confirm(page)).toMatch(/enviado/)
    const invited = page.getByTestId("invite-row").filter({ hasText: email })
    await invited.waitFor()
    await expectLooksRight(page, "admin-invites")
    await invited.getByTestId("revoke").click()
    expect(await confirm(page)).toMatch(/revogado/)
    const { body } = await api.get<ListPage<Invite>>("/v1/admin/invites?status=revoked")
    expect(body.data.map((invite) => invite.email)).toContain(email)
    await page.close()
  })

  it("an exception that freezes payouts is told on the desk, dismissed with a reason, and in the log", async () => {
    const id = await exceptions.openUnknown("payout_unknown", { payout_id: "p1", status: "paid" })
    const page = await open("/app/admin")
    await page.locator('[data-testid="freeze"][data-why="exceptions"]').waitFor()
    await expectLooksRight(page, "admin-desk-frozen")
    await page.getByTestId("count-exceptions").click()
    await row(page, id).getByRole("link").first().click()
    await page.locator('[data-testid="exception-act"][data-act="dismiss"]').waitFor()
    await expect.poll(() => page.getByTestId("exception-act").count()).toBe(1)
    await expectLooksRight(page, "admin-exception")
    await page.locator('[data-act="dismiss"]').click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("dialog").count()).toBe(1)
    expect(await confirm(page, "Pagamento do próprio dono")).toMatch(/dispensada/)
    await page.locator('[data-testid="exception-state"][data-status="resolved"]').waitFor()
    expect((await api.get<Exception>(`/v1/admin/exceptions/${id}`)).body).toMatchObject({
      act: "dismiss",
      reason: "Pagamento do próprio dono",
    })
    await page.getByRole("link", { name: "Auditoria" }).click()
    const logged = page.locator('[data-action="exception.dismissed"]').first()
    await logged.waitFor()
    await expect.poll(() => logged.textContent()).toContain("Pagamento do próprio dono")
    expect(await logged.textContent()).toContain("Ato: Dispensar")
    const changed = await page.locator('[data-action="seller.settings_changed"]').first().textContent()
    expect(changed).toContain("Tarifa por cobrança (%): 0,00 % → 0,99 %")
    await expectLooksRight(page, "admin-audit")
    await page.getByRole("link", { name: "Mesa", exact: true }).click()
    await ready(page)
    await page.getByTestId("freeze").waitFor({ state: "detached" })
    await page.close()
  })

  it("a payment without a charge is credited to the seller that the operator names", async () => {
    const seller = await cockpit.stage.newSeller()
    const id = await exceptions.openUnknown()
    const page = await open(`/app/admin/exceptions?id=${id}`)
    await page.locator('[data-act="credit"]').click()
    await page.getByTestId("dialog").getByTestId("seller-id-input").fill(seller.id)
    expect(await confirm(page, "O pagador confirmou")).toMatch(/Creditado/)
    expect(await balanceOf(seller.live)).toMatchObject({ available: 700 })
    await page.close()
  })

  it("a notice is shown with what was received, and reprocessed", async () => {
    const seller = await cockpit.stage.newSeller()
    const charge = await makeCharge(seller.test)
    await postNotice(cockpit.stage, paymentBody(charge.id))
    const [record] = await recordsOf(api, charge.id)
    const page = await open(`/app/admin/inbox?id=${record?.id}`)
    await expect.poll(() => page.locator(".raw").textContent()).toContain('"horario"')
    await expectLooksRight(page, "admin-notice")
    await page.getByTestId("reprocess").click()
    expect(await confirm(page)).toMatch(/Reprocessamento/)
    await expect.poll(async () => (await recordsOf(api, charge.id))[0]?.reprocessed_at ?? null).not.toBeNull()
    await page.close()
  })

  it("the desk goes on showing what waits once the step-up is over, and asks for a code at an act alone", async () => {
    await newAwaiting()
    // Of its own session: the others' acts go on.
    const page = await cockpit.open("/app/admin", { as: await cockpit.operator() })
    await endStepUp(cockpit.stage, page)
    const { withdrawal } = await newAwaiting()
    await queued(page, withdrawal.id).waitFor({ timeout: 30_000 })
    expect(await page.getByTestId("dialog").count()).toBe(0)
    await page.context().close()
  })

  it("a step-up that ran out is asked for in a dialog, after which the act goes on by itself", async () => {
    const { seller, withdrawal } = await newAwaiting()
    const other = await cockpit.operator()
    const page = await cockpit.open("/app/admin/withdrawals", {
      as: other,
      allows: [/Failed to load resource.* 403 /],
    })
    // What a page reads when it opens asks for a step-up too; here the act shall ask.
    await row(page, withdrawal.id).waitFor()
    await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
    await endStepUp(cockpit.stage, page)
    await row(page, withdrawal.id).getByTestId("approve").click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    await confirmStepUp(page, other)
    await page.getByTestId("dialog").waitFor({ state: "detached" })
    await withdrawalWhen(seller.live, withdrawal.id, "successful")
    await page.context().close()
  })

  it("a seller on an operator's page is led to its own", async () => {
    const page = await cockpit.open("/app/admin/withdrawals", { as: await cockpit.seller() })
    expect(new URL(page.url()).pathname).toBe("/app")
    await page.context().close()
  })

  it("hostile names break no page", async () => {
    const { seller, withdrawal } = await newAwaiting({
      name: hostileName,
      kycStatus: "approved",
      document: "52998224725",
    })
    const page = await open("/app/admin/withdrawals")
    await row(page, withdrawal.id).getByTestId("dossier").waitFor()
    await expectLooksRight(page, "admin-withdrawals")
    const lists = ["sellers", "pix-keys", "exceptions", "inbox", "deliveries", "health"]
    for (const name of [...lists, `sellers/${seller.id}`]) {
      await page.goto(`${cockpit.stage.service.url}/app/admin/${name}`)
      await ready(page)
      await expectLooksRight(page, `admin-${name.replace(/\/.*/, "-hostile")}`)
    }
    await expect.poll(() => page.locator('img[src="x"]').count()).toBe(0)
    await page.close()
  })
})
