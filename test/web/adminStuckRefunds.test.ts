import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Exception } from "../../schema/resources/exception.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { eventually, type Page as ListPage } from "../e2e/support/client.ts"
import { type DashboardClient, dashboardClient } from "../e2e/support/dashboardClient.ts"
import { refund, refundWhen } from "../e2e/support/refunds.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { type Psp, startPsp } from "../support/psp.ts"
import { apiPixSettings, webhookSecret } from "../support/pspSettings.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"

describePages("a stuck refund, on its page", () => {
  let psp: Psp
  let cockpit: Cockpit
  let api: DashboardClient
  let page: Page
  beforeAll(async () => {
    psp = await startPsp()
    cockpit = await openCockpit({ ...apiPixSettings(psp), PAYOUT_STUCK_SECONDS: "1" })
    api = dashboardClient(cockpit.stage.service.url, await signInAsOperator(cockpit.stage.service))
    const allows = [/Failed to load resource.* (409|503) /]
    page = await cockpit.open("/app/admin/exceptions", { as: await cockpit.operator(), allows })
  })
  afterAll(async () => {
    await cockpit?.close()
    await psp?.close()
  })
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  /** A refund that never reached the bank. */
  const openStuck = async () => {
    const { url } = cockpit.stage.service
    const { live } = await cockpit.stage.newSeller()
    const charge = await makeCharge(live)
    const endToEndId = psp.pay(charge.pix.txid)
    await psp.notify(`${url}/v1/webhooks/api-pix/pix`, psp.notice({ endToEndId }), webhookSecret)
    await chargeWhen(live, charge.id, "paid")
    psp.fail(`PUT /pix/${endToEndId}/devolucao/`, { kind: "cut" })
    const { id } = await refund(live, charge.id)
    const exception = await eventually("the refund to be stuck", async () => {
      const { body } = await api.get<ListPage<Exception>>("/v1/admin/exceptions?kind=refund_stuck&state=open")
      return body.data.find(({ resource_id }) => resource_id === id)
    })
    await page.goto(`${url}/app/admin/exceptions?id=${exception.id}`)
    await ready(page)
    return { live, id, exception, endToEndId }
  }
  const dialog = () => page.getByTestId("dialog")
  const ask = async (act: "settle" | "fail", isWithoutBank = false) => {
    await page.locator(`[data-testid="exception-act"][data-act="${act}"]`).click()
    await dialog().getByTestId("reason-input").fill("Por telefone com o banco")
    if (isWithoutBank) await dialog().getByTestId("without-bank-checkbox").check()
    await dialog().getByTestId("submit").click()
  }

  it("an act that the bank contradicts is refused with the bank's word, and the other ends the refund", async () => {
    const { live, id } = await openStuck()
    await ask("settle")
    await expect.poll(() => dialog().textContent()).toContain("não conhece a operação")
    await expectLooksRight(page, "admin-stuck-refund")
    await page.keyboard.press("Escape")
    await dialog().waitFor({ state: "detached" })
    await ask("fail")
    await dialog().waitFor({ state: "detached" })
    await page.locator('[data-testid="exception-state"][data-status="resolved"]').waitFor()
    await refundWhen(live, id, "failed")
  })

  it("while the bank does not answer, the act waits for a second operator, and says without what", async () => {
    const { endToEndId } = await openStuck()
    psp.fail(`GET /pix/${endToEndId}/devolucao/`, { kind: "answer", status: 503 }, 1_000)
    await ask("fail", true)
    await dialog().waitFor({ state: "detached" })
    const second = page.getByTestId("second-operator")
    await expect.poll(() => second.textContent()).toContain("mesmo que o banco não responda")
    psp.heal()
  })
})
