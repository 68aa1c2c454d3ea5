import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Exception } from "../../schema/resources/exception.ts"
import type { DashboardClient } from "../e2e/support/dashboardClient.ts"
import { dashboardClient } from "../e2e/support/dashboardClient.ts"
import { openExceptionStore } from "../e2e/support/exceptions.ts"
import { balanceOf } from "../e2e/support/withdrawals.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"

describePages("many exceptions at once", () => {
  let cockpit: Cockpit
  let exceptions: ReturnType<typeof openExceptionStore>
  let api: DashboardClient
  let page: Page
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "50" })
    exceptions = openExceptionStore(cockpit.stage)
    api = dashboardClient(cockpit.stage.service.url, await signInAsOperator(cockpit.stage.service))
    page = await cockpit.open("/app/admin/exceptions", { as: await cockpit.operator() })
  })
  afterAll(async () => {
    await exceptions?.dispose()
    await cockpit?.close()
  })
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const go = async (query: string) => {
    await page.goto(`${cockpit.stage.service.url}/app/admin/exceptions${query}`)
    await ready(page)
  }
  const act = async (name: string, fields: Readonly<Record<string, string>>): Promise<string> => {
    await page.locator(`[data-testid="exceptions-act"][data-act="${name}"]`).click()
    const dialog = page.getByTestId("dialog")
    for (const [field, value] of Object.entries(fields)) await dialog.getByTestId(field).fill(value)
    await dialog.getByTestId("submit").click()
    await dialog.waitFor({ state: "detached" })
    await expect.poll(() => page.getByTestId("notice").textContent()).not.toBe("")
    return (await page.getByTestId("notice").textContent()) ?? ""
  }
  const stateOf = async (id: string) => (await api.get<Exception>(`/v1/admin/exceptions/${id}`)).body.state

  it("the open ones of a chosen kind are credited or dismissed together, and no others", async () => {
    const seller = await cockpit.stage.newSeller()
    const unknown = [await exceptions.openUnknown(), await exceptions.openUnknown()]
    const payouts = [
      await exceptions.openUnknown("payout_unknown"),
      await exceptions.openUnknown("payout_unknown"),
    ]
    await go("?state=open")
    expect(await page.getByTestId("exceptions-act").count()).toBe(0)
    await go("?state=open&kind=payment_unknown")
    await expect.poll(() => page.getByTestId("exceptions-act").count()).toBe(3)
    await expectLooksRight(page, "admin-many-exceptions")
    const told = await act("credit", { "seller-id-input": seller.id, "reason-input": "É do vendedor" })
    expect(told).toMatch(/Pronto/)
    expect(await Promise.all(unknown.map(stateOf))).toEqual(["resolved", "resolved"])
    expect(await balanceOf(seller.live)).toMatchObject({ available: 1_400 })
    await expect.poll(() => page.getByTestId("exception-row").count()).toBe(0)

    await go("?state=open&kind=payout_unknown")
    await act("dismiss", { "reason-input": "De antes do serviço" })
    expect(await Promise.all(payouts.map(stateOf))).toEqual(["resolved", "resolved"])
  })
})
