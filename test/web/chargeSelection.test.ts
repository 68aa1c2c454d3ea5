import type { Page } from "playwright-core"
import readWorkbook from "read-excel-file/node"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import type { Client } from "../e2e/support/client.ts"
import { refund } from "../e2e/support/refunds.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"
import { confirmStepUp, endStepUp } from "./support/stepUp.ts"

describePages("charges of the list that are ticked", () => {
  let cockpit: Cockpit
  let seller: SellerPerson
  let client: Client
  /** Oldest first; the last one is pending. */
  let charges: ReadonlyArray<Transaction>
  let home: Page

  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
    seller = await cockpit.seller()
    client = clientsOf(cockpit.stage.service.url, seller).test
    const made: Array<Transaction> = []
    for (let i = 0; i < 8; i++) {
      const customer = { name: `Cliente ${i}`, email: `c${i}@example.com`, document: "529.982.247-25" }
      const { id } = await makeCharge(client, { amount: (i + 1) * 1_000, customer, reference: `pedido-${i}` })
      if (i < 7) await client.post(`/v1/test/transactions/${id}/pay`)
      made.push(await chargeWhen(client, id, i < 7 ? "paid" : "pending"))
    }
    charges = made
    home = await cockpit.open("/app", { as: seller })
  }, 300_000)
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const openList = async (width = 1280, allows: ReadonlyArray<RegExp> = []) => {
    const page = await cockpit.open("/app/charges", { beside: home, allows })
    await page.setViewportSize({ width, height: 844 })
    await page.getByTestId("charge-row").nth(7).waitFor()
    return page
  }
  const row = (page: Page, index: number) =>
    page.locator(`[data-testid="charge-row"][data-id="${charges[index]?.id}"]`)
  const check = (page: Page, index: number) => row(page, index).getByTestId("charge-check")
  const bar = (page: Page) => page.getByTestId("selection-bar")
  const refundsOf = async (index: number) =>
    (
      await client.get<{ data: Array<{ amount: number }> }>(
        `/v1/refunds?transaction_id=${charges[index]?.id}`,
      )
    ).body.data

  it("the space bar ticks a row, the header's box all of them, and the bar says how many and clears them", async () => {
    const page = await openList()
    await check(page, 0).focus()
    await page.keyboard.press("Space")
    await bar(page).getByText("1 selecionada").waitFor()
    expect(await page.getByTestId("check-all").evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(
      true,
    )
    expect(new URL(page.url()).pathname, "a tick does not open the row").toBe("/app/charges")
    await page.getByTestId("check-all").check()
    await bar(page).getByText("8 selecionadas").waitFor()
    expect(await bar(page).textContent()).toMatch(/R\$\s360,00/)
    await expectLooksRight(page, "charges-selected")
    await page.getByTestId("selection-clear").click()
    await expect.poll(() => bar(page).count()).toBe(0)
    const heights = await page
      .getByTestId("charge-row")
      .evaluateAll((rows) => rows.map((one) => one.getBoundingClientRect().height))
    for (const height of heights) expect(height).toBeLessThanOrEqual(62)
    await page.close()
  })

  it("what is left of those that can be refunded is refunded by one code, and each that failed says why", async () => {
    const page = await openList(1280, [/ 403 \(Forbidden\)/])
    for (const index of [0, 1, 7]) await check(page, index).check()
    await endStepUp(cockpit.stage, page)
    await page.getByTestId("bulk-refund").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByText("2 cobranças, tudo o que resta de cada uma").waitFor()
    await dialog.getByText("1 não tem o que devolver e fica de fora.").waitFor()
    expect(await dialog.getByTestId("submit").textContent()).toMatch(/^Devolver R\$\s30,00$/)
    const payers = await dialog.getByTestId("bulk-charges").locator("li").allTextContents()
    expect(payers.map((text) => text.replace(/\s/g, " ")).toSorted()).toEqual([
      "Cliente 0pedido-0R$ 10,00",
      "Cliente 1pedido-1R$ 20,00",
    ])
    await expectLooksRight(page, "charges-bulk-refund")
    // A moment before, another tab refunds one of them.
    await refund(client, charges[1]?.id ?? "")
    await dialog.getByTestId("submit").click()
    await confirmStepUp(page, seller)
    await dialog.locator('[data-testid="bulk-result"][data-state="done"]').waitFor()
    await dialog.getByText("1 devolução pedida.").waitFor()
    const failed = dialog.getByTestId("bulk-failed")
    expect(await failed.evaluateAll((all) => all.map(({ dataset }) => dataset.id))).toEqual([charges[1]?.id])
    await failed.getByText("Não há o que devolver desta cobrança.").waitFor()
    await expectLooksRight(page, "charges-bulk-result")
    await dialog.getByText("Fechar", { exact: true }).click()
    await expect.poll(() => bar(page).count()).toBe(0)
    expect(await refundsOf(0)).toMatchObject([{ amount: 1_000 }])
    expect(await refundsOf(1)).toHaveLength(1)
    expect(await refundsOf(7)).toEqual([])
    await page.close()
  })

  it("what became of refunds stays until it is closed, though their rows leave the list, and nothing stays ticked", async () => {
    const page = await cockpit.open("/app/charges?status=paid", { beside: home })
    await row(page, 6).waitFor()
    await check(page, 6).check()
    await page.getByTestId("bulk-refund").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("submit").click()
    await expect.poll(async () => (await refundsOf(6)).length).toBe(1)
    await client.post(`/v1/test/transactions/${charges[6]?.id}/refund`)
    await expect.poll(() => row(page, 6).count()).toBe(0)
    await dialog.getByText("1 devolução pedida.").waitFor()
    await dialog.getByText("Fechar", { exact: true }).click()
    await page.locator('.status-tab[data-status="all"]').click()
    await row(page, 6).waitFor()
    expect(await bar(page).count()).toBe(0)
    await check(page, 7).check()
    await bar(page).getByText("1 selecionada").waitFor()
    expect(await page.getByTestId("bulk-refund").count(), "a pending charge has nothing to give back").toBe(0)
    await page.close()
  })

  it("the menu of a row copies its link, refunds it and opens it", async () => {
    const page = await openList()
    const menu = (index: number) => row(page, index).getByTestId("more-acts")
    await menu(7).click()
    expect(await row(page, 7).locator(".more-acts li").allTextContents()).toEqual([" Copiar link", " Abrir"])
    await page.keyboard.press("Escape")
    await menu(2).click()
    await row(page, 2).getByText("Devolver").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByText("Cliente 2").waitFor()
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.count()).toBe(0)
    expect(await refundsOf(2)).toMatchObject([{ amount: 3_000 }])
    await menu(3).click()
    await row(page, 3).locator(".more-acts").getByText("Abrir").click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/app/charges/${charges[3]?.id}`)
    await page.close()
  })

  it("a charge that cannot be read for its refund is told, and the menu can be used again", async () => {
    const page = await openList(1280, [/ 404 /])
    await page.route(/\/v1\/me\/refunds\?/, (route) =>
      route.fulfill({
        status: 404,
        contentType: "application/json",
        body: JSON.stringify({ error: { code: "resource_not_found", message: "There is none." } }),
      }),
    )
    const refundOf = async (index: number) => {
      await row(page, index).getByTestId("more-acts").click()
      await row(page, index).locator(".more-acts").getByText("Devolver").click()
    }
    await refundOf(4)
    await page.locator('[data-testid="notice"][data-shown="true"]').waitFor()
    expect(await page.getByTestId("dialog").count()).toBe(0)
    await page.unroute(/\/v1\/me\/refunds\?/)
    await refundOf(4)
    await page.getByTestId("dialog").getByText("Cliente 4").waitFor()
    await page.close()
  })

  it("on a phone the header's button shows the boxes and ends it", async () => {
    const page = await openList(390)
    expect(await check(page, 4).isVisible()).toBe(false)
    await page.getByTestId("select-opener").click()
    await check(page, 4).check()
    await check(page, 5).check()
    await bar(page).getByText("2 selecionadas").waitFor()
    await expectLooksRight(page, "charges-selected-phone")
    await page.getByTestId("select-opener").click()
    await expect.poll(() => bar(page).count()).toBe(0)
    expect(await check(page, 4).isVisible()).toBe(false)
    await page.close()
  })

  it("the ticked charges are saved as a workbook", async () => {
    const page = await openList()
    await check(page, 1).check()
    await check(page, 4).check()
    const saved = page.waitForEvent("download")
    await bar(page).getByTestId("export-xlsx").click()
    const file = await saved
    expect(file.suggestedFilename()).toMatch(/^cobrancas-teste-.*\.xlsx$/)
    const [sheet] = await readWorkbook(await file.path())
    expect(sheet?.data.slice(1).map((cells) => cells[7])).toEqual(["pedido-4", "pedido-1"])
    await expectLooksRight(page, "charges-ticked")
  })
})
