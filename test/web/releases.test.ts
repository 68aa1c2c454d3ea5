import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { type DashboardClient, dashboardClient } from "../e2e/support/dashboardClient.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { changeSeller } from "../e2e/support/withdrawals.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

describePages("the calendar of releases on the balance page", () => {
  let cockpit: Cockpit
  let operator: DashboardClient
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
    operator = dashboardClient(cockpit.stage.service.url, await signInAsOperator(cockpit.stage.service))
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const payAfter = async (seller: SellerPerson, days: number) => {
    await changeSeller(operator, { id: seller.sellerId }, "settings", {
      reserve_bps: 1_000,
      reserve_days: days,
    })
    const { test } = clientsOf(cockpit.stage.service.url, seller)
    const { id } = await makeCharge(test, { amount: 10_000 })
    const { status } = await test.post(`/v1/test/transactions/${id}/pay`)
    expect(status).toBe(200)
  }

  it("says that nothing is held where nothing is", async () => {
    const page = await cockpit.open("/app/balance", { as: await cockpit.seller() })
    const none = page.getByTestId("releases-none")
    expect(await none.textContent()).toBe("Nada retido: tudo o que você recebeu já está disponível.")
    await page.context().close()
  })

  it("shows five days and their sum, the others when asked, and a payment's reserve as it comes", async () => {
    const seller = await cockpit.seller()
    for (const days of [1, 2, 3, 4, 5, 30, 30, 60]) await payAfter(seller, days)
    const page = await cockpit.open("/app/balance", { as: seller })
    const rows = page.getByTestId("release-day")
    await expect.poll(() => rows.count()).toBe(5)
    expect(await rows.first().textContent()).toContain("1 cobrança")
    const total = page.getByTestId("release-total")
    expect(await total.getAttribute("data-amount")).toBe("8000")
    await expectLooksRight(page, "releases")
    const more = page.getByTestId("release-more")
    expect(await more.textContent()).toBe("Mostrar mais 2 dias")
    await more.press("Enter")
    await expect.poll(() => rows.count()).toBe(7)
    expect(await rows.nth(5).textContent()).toContain("2 cobranças")
    await payAfter(seller, 10)
    await expect.poll(() => total.getAttribute("data-amount")).toBe("9000")
    await page.context().close()
  })
})
