import { readFileSync } from "node:fs"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { type DashboardClient, dashboardClient } from "../e2e/support/dashboardClient.ts"
import { openPixShop } from "../e2e/support/pixKeys.ts"
import { fund, getWithdrawal, withdraw } from "../e2e/support/withdrawals.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"

const first = "E12345678202611211200abcdefghi01"

describePages("the desk of an account without payouts by API", () => {
  let cockpit: Cockpit
  /** Another operator. */
  let eva: DashboardClient
  let page: Awaited<ReturnType<Cockpit["open"]>>
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "50", SIMULATOR_PAYOUTS: "manual" })
    eva = dashboardClient(cockpit.stage.service.url, await signInAsOperator(cockpit.stage.service))
    const allows = [/Failed to load resource.* (400|409) /]
    page = await cockpit.open("/app/admin", { as: await cockpit.operator(), allows })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const go = async (path: string) => {
    await page.goto(`${cockpit.stage.service.url}/app/${path}`)
    await ready(page)
  }
  const row = (id: string) => page.locator(`[data-testid="to-pay-row"][data-id="${id}"]`)
  /** Submits the open dialog, and returns what is told once it has closed. */
  const confirm = async (): Promise<string> => {
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("submit").click()
    await dialog.waitFor({ state: "detached" })
    await expect.poll(() => page.getByTestId("notice").textContent()).not.toBe("")
    return (await page.getByTestId("notice").textContent()) ?? ""
  }

  let phone = 98_765_000
  /** A withdrawal of 50.00 to a phone, approved. */
  const newApproved = async (description: string) => {
    const shop = await openPixShop(cockpit.stage)
    await fund(shop.seller.live, 20_000)
    const key = { type: "phone", value: `+55119${++phone}` }
    const { id: pixKeyId } = await shop.live.register(key)
    await eva.send("POST", `/v1/admin/pix-keys/${pixKeyId}/approve`)
    const { id } = await withdraw(shop.seller.live, pixKeyId, 5_000, { description })
    expect((await eva.send("POST", `/v1/admin/withdrawals/${id}/approve`)).status).toBe(200)
    return { id, live: shop.seller.live, key }
  }

  it("without anything to pay the page says so, and the desk does not name it", async () => {
    await go("admin/to-pay")
    await page.getByText("Nenhum saque a pagar").waitFor()
    await expectLooksRight(page, "admin-to-pay-empty")
    await go("admin")
    expect(await page.getByTestId("count-to-pay").count()).toBe(0)
  })

  it("an operator pays from the list, enters the Pix, and the withdrawal is successful", async () => {
    const paid = await newApproved(`=1+1 ${"x".repeat(100)}`)
    const waiting = await newApproved("Novembro")
    await go("admin")
    const count = page.getByTestId("count-to-pay")
    await expect.poll(() => count.locator("[data-count]").getAttribute("data-count")).toBe("2")
    await expectLooksRight(page, "admin-desk-to-pay")
    await count.click()
    await expect.poll(() => row(paid.id).getByTestId("pix-key").textContent()).toContain(paid.key.value)
    await row(waiting.id).waitFor()
    await expectLooksRight(page, "admin-to-pay")

    await row(paid.id).getByTestId("settle").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("end-to-end-input").fill("E123")
    await dialog.getByTestId("submit").click()
    await dialog.getByText("Isso não é um end-to-end").waitFor()
    await dialog.getByTestId("end-to-end-input").fill(` ${first} `)
    await expectLooksRight(page, "admin-to-pay-settle")
    expect(await confirm()).toMatch(/Pagamento registrado/)
    await row(paid.id).waitFor({ state: "detached" })
    expect(await getWithdrawal(paid.live, paid.id)).toMatchObject({
      status: "successful",
      end_to_end_id: first,
    })

    // The same receipt cannot pay the next one.
    await row(waiting.id).getByTestId("settle").click()
    await dialog.getByTestId("end-to-end-input").fill(first)
    await dialog.getByTestId("submit").click()
    await dialog.getByText("Esse Pix já pertence a outro").waitFor()
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })

    const downloading = page.waitForEvent("download")
    await page.getByTestId("to-pay-csv").click()
    const file = readFileSync(await (await downloading).path(), "utf8")
    expect(file).toContain(`'${waiting.key.value}`)
    expect(file.split("\r\n")).toHaveLength(3)
  })

  it("an operator enters that one was not paid, and its money returns", async () => {
    const { id, live } = await newApproved("Dezembro")
    await go("admin/to-pay")
    await row(id).getByTestId("fail").click()
    await page.getByTestId("dialog").getByTestId("reason-input").fill("O banco não conhece a chave")
    expect(await confirm()).toMatch(/não pago/)
    await row(id).waitFor({ state: "detached" })
    expect(await getWithdrawal(live, id)).toMatchObject({
      status: "failed",
      failure_reason: "O banco não conhece a chave",
    })
  })
})
