import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { fund, getWithdrawal, withdraw, withdrawalWhen } from "../e2e/support/withdrawals.ts"
import { makePixKey } from "../support/pixKey.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

describePages("the desk of two operators", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "50", OPERATOR_APPROVALS: "2" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("a live withdrawal that one operator approved says that it waits for another, whose approval pays it", async () => {
    const seller = await cockpit.stage.newSeller()
    await fund(seller.live, 20_000)
    const { id } = await withdraw(seller.live, await makePixKey(cockpit.stage, seller, "live"), 5_000)
    const approve = async (page: Page): Promise<string> => {
      await page.locator(`[data-id="${id}"]`).getByTestId("approve").click()
      await page.getByTestId("dialog").getByTestId("submit").click()
      await page.getByTestId("dialog").waitFor({ state: "detached" })
      await expect.poll(() => page.getByTestId("notice").textContent()).not.toBe("")
      return (await page.getByTestId("notice").textContent()) ?? ""
    }
    const ana = await cockpit.open("/app/admin/withdrawals", { as: await cockpit.operator() })
    expect(await approve(ana)).toMatch(/outro operador/)
    await ana.locator('[data-testid="second-operator"][data-by="you"]').waitFor()
    expect(await getWithdrawal(seller.live, id)).toMatchObject({ status: "awaiting" })
    await expectLooksRight(ana, "admin-second-operator")
    const rui = await cockpit.open("/app/admin/withdrawals", { as: await cockpit.operator() })
    await rui.locator('[data-testid="second-operator"][data-by="other"]').waitFor()
    expect(await approve(rui)).toMatch(/aprovado/)
    await withdrawalWhen(seller.live, id, "successful")
    await ana.locator(`[data-id="${id}"]`).waitFor({ state: "detached" })
    await ana.context().close()
    await rui.context().close()
  })
})
