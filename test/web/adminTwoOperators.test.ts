import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Exception } from "../../schema/resources/exception.ts"
import { type DashboardClient, dashboardClient } from "../e2e/support/dashboardClient.ts"
import { openExceptionStore } from "../e2e/support/exceptions.ts"
import { balanceOf, fund, getWithdrawal, withdraw, withdrawalWhen } from "../e2e/support/withdrawals.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"

describePages("the desk of two operators", () => {
  let cockpit: Cockpit
  let exceptions: ReturnType<typeof openExceptionStore>
  /** An operator who is faster than any page. */
  let eva: DashboardClient
  let ana: Page
  let rui: Page
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "50", OPERATOR_APPROVALS: "2" })
    exceptions = openExceptionStore(cockpit.stage)
    eva = dashboardClient(cockpit.stage.service.url, await signInAsOperator(cockpit.stage.service))
    const allows = [/Failed to load resource.* 409 /]
    const open = async () => cockpit.open("/app/admin/withdrawals", { as: await cockpit.operator(), allows })
    ana = await open()
    rui = await open()
  })
  afterAll(async () => {
    await exceptions?.dispose()
    await cockpit?.close()
  })
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const go = async (page: Page, path: string) => {
    await page.goto(`${cockpit.stage.service.url}/app/admin/${path}`)
    await ready(page)
  }
  /** Submits the open dialog, and returns what is told once it has closed. */
  const confirm = async (page: Page, reason?: string): Promise<string> => {
    const dialog = page.getByTestId("dialog")
    if (reason !== undefined) await dialog.getByTestId("reason-input").fill(reason)
    await dialog.getByTestId("submit").click()
    await dialog.waitFor({ state: "detached" })
    await expect.poll(() => page.getByTestId("notice").textContent()).not.toBe("")
    return (await page.getByTestId("notice").textContent()) ?? ""
  }
  const second = (page: Page, by: "you" | "other") =>
    page.locator(`[data-testid="second-operator"][data-by="${by}"]`)
  const newAwaiting = async () => {
    const seller = await cockpit.stage.newSeller()
    await fund(seller.live, 20_000)
    const { id } = await withdraw(seller.live, await makePixKey(cockpit.stage, seller, "live"), 5_000)
    return { seller, id }
  }

  it("a live withdrawal that one operator approved says that it waits for another, whose approval pays it", async () => {
    const { seller, id } = await newAwaiting()
    const approve = async (page: Page): Promise<string> => {
      await page.locator(`[data-id="${id}"]`).getByTestId("approve").click()
      return confirm(page)
    }
    await go(ana, "withdrawals")
    expect(await approve(ana)).toMatch(/outro operador/)
    await second(ana, "you").waitFor()
    expect(await getWithdrawal(seller.live, id)).toMatchObject({ status: "awaiting" })
    await expectLooksRight(ana, "admin-second-operator")
    await go(rui, "withdrawals")
    await second(rui, "other").waitFor()
    expect(await approve(rui)).toMatch(/aprovado/)
    await withdrawalWhen(seller.live, id, "successful")
    await ana.locator(`[data-id="${id}"]`).waitFor({ state: "detached" })
  })

  it("an approval that comes after another operator's rejection is told as that, and the row goes", async () => {
    const { seller, id } = await newAwaiting()
    await go(ana, "withdrawals")
    await ana.locator(`[data-id="${id}"]`).getByTestId("approve").click()
    await eva.send("POST", `/v1/admin/withdrawals/${id}/reject`, { reason: "Outro titular" })
    const dialog = ana.getByTestId("dialog")
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.getByTestId("overtaken").textContent()).toContain("Rejeitado")
    expect(await dialog.getByTestId("submit").count()).toBe(0)
    await ana.locator(`[data-id="${id}"]`).waitFor({ state: "detached" })
    await expectLooksRight(ana, "admin-overtaken")
    await dialog.getByTestId("close").click()
    await dialog.waitFor({ state: "detached" })
    expect(await getWithdrawal(seller.live, id)).toMatchObject({ status: "rejected" })
  })

  it("an exception shows the second operator the act, the reason and the seller of the first, whose repetition does it", async () => {
    const seller = await cockpit.stage.newSeller()
    const id = await exceptions.openUnknown()
    const credit = async (page: Page) => {
      await page.locator('[data-act="credit"]').click()
      await page.getByTestId("dialog").getByTestId("seller-id-input").fill(seller.id)
      return confirm(page, "O pagador confirmou")
    }
    await go(ana, `exceptions?id=${id}`)
    await go(rui, `exceptions?id=${id}`)
    expect(await credit(ana)).toMatch(/outro operador/)
    await second(ana, "you").waitFor()
    await second(rui, "other").waitFor()
    const told = (await second(rui, "other").textContent()) ?? ""
    for (const part of ["Creditar", "O pagador confirmou", seller.id]) expect(told).toContain(part)
    await expectLooksRight(rui, "admin-exception-second-operator")
    expect(await balanceOf(seller.live)).toMatchObject({ available: 0 })
    expect(await credit(rui)).toMatch(/Creditado/)
    expect(await balanceOf(seller.live)).toMatchObject({ available: 700 })
    await ana.locator('[data-testid="exception-state"][data-status="resolved"]').waitFor()
  })

  it("an act on an exception that another operator resolved is told as that, and the page shows the resolution", async () => {
    const id = await exceptions.openUnknown("payout_unknown")
    await go(ana, `exceptions?id=${id}`)
    await ana.locator('[data-act="dismiss"]').click()
    const dismissed = { act: "dismiss", reason: "Pagamento do próprio dono" }
    await eva.send<Exception>("POST", `/v1/admin/exceptions/${id}/resolve`, dismissed)
    const dialog = ana.getByTestId("dialog")
    await dialog.getByTestId("reason-input").fill("Nada a fazer")
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.getByTestId("overtaken").textContent()).toContain("Resolvida")
    await dialog.getByTestId("close").click()
    await ana.locator('[data-testid="exception-state"][data-status="resolved"]').waitFor()
    expect(await ana.getByTestId("page").textContent()).toContain("Pagamento do próprio dono")
  })
})
