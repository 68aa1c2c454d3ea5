import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Customer } from "../../schema/resources/customer.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import type { Client, Page as ListPage } from "../e2e/support/client.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

const ana = {
  name: "Ana Souza",
  email: "ana@example.com",
  document: "529.982.247-25",
  phone: "+5511987654321",
}
const wrong = { ...ana, document: "111.444.777-35" }
const bia = {
  name: "Beatriz Albuquerque Nogueira",
  email: "bia@loja.example",
  document: "12.345.678/0001-95",
}

describePages("customers", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const act = async (client: Client, id: string, name: string) => {
    const answer = await client.post(`/v1/test/transactions/${id}/${name}`)
    if (answer.status !== 200) throw new Error(answer.text)
  }
  const customersOf = async (client: Client) =>
    (await client.get<ListPage<Customer>>("/v1/customers")).body.data

  it("a seller finds a customer, sees what it has paid, and goes to its charges", async () => {
    const seller = await cockpit.seller()
    const { test: client } = clientsOf(cockpit.stage.service.url, seller)
    const page = await cockpit.open("/app/customers", { as: seller })
    await expectLooksRight(page, "customers-none")
    const first = await makeCharge(client, { customer: ana, amount: 12_001, reference: "pedido-1152" })
    await act(client, first.id, "pay")
    const second = await makeCharge(client, { customer: ana, amount: 5_001, reference: "pedido-1153" })
    await act(client, second.id, "pay")
    await act(client, second.id, "refund")
    await makeCharge(client, { customer: bia, amount: 99_001 })
    const names = () =>
      page
        .getByTestId("customer-row")
        .evaluateAll((rows) => rows.map((row) => row.querySelector("a")?.textContent))
    await expect.poll(names).toEqual([bia.name, ana.name])
    await expectLooksRight(page, "customers")

    const heads = page.getByRole("columnheader")
    expect(
      await heads.evaluateAll((all) => all.flatMap((one) => (one.ariaSort === null ? [] : one.textContent))),
      "the order of the list",
    ).toEqual(["Última cobrança"])
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByText("Da cobrança mais recente para a mais antiga").waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByLabel("Última cobrança").selectOption("lastMonth")
    await page.getByText("Nenhum cliente com a última cobrança neste período").waitFor()
    await expectLooksRight(page, "customers-none-of-period")
    await page.getByLabel("Última cobrança").selectOption("today")
    await expect.poll(names).toEqual([bia.name, ana.name])
    await expectLooksRight(page, "customers-of-period")
    await page.getByRole("button", { name: "Limpar filtros" }).click()
    expect(new URL(page.url()).search).toBe("")

    await page.getByTestId("customer-search").fill("529.982.247-25")
    await expect.poll(names).toEqual([ana.name])
    await page.getByTestId("customer-search").fill("ninguém")
    await page.getByText("Nenhum cliente encontrado para “ninguém”").waitFor()
    await page.getByTestId("customer-search").fill("ana sou")
    await expect.poll(names).toEqual([ana.name])

    await page.getByTestId("customer-row").getByRole("link").click()
    await expect.poll(() => page.locator("h1").textContent()).toBe(ana.name)
    const amountOf = (what: string) => page.getByTestId(`customer-${what}`).getAttribute("data-amount")
    await expect.poll(() => amountOf("paid")).toBe("17002")
    expect(await amountOf("refunded")).toBe("5001")
    expect(await page.getByTestId("customer-count").textContent()).toBe("2")
    await expect.poll(() => page.getByTestId("customer-charge").count()).toBe(2)
    expect(await page.getByTestId("customer-refund").count()).toBe(1)
    await page.getByText("Último pagamento").waitFor()
    await expectLooksRight(page, "customer")
    const third = await makeCharge(client, { customer: ana, amount: 301 })
    await expect.poll(() => page.getByTestId("customer-count").textContent()).toBe("3")

    await page.getByTestId("customer-charges").click()
    await page.getByTestId("filter-customer").getByText(ana.name).waitFor()
    const listed = () =>
      page.getByTestId("charge-row").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-id")))
    await expect.poll(listed).toEqual([third.id, second.id, first.id])
    await makeCharge(client, { customer: bia })
    await act(client, third.id, "pay")
    await page.locator('[data-testid="charge-row"][data-status="paid"]').nth(1).waitFor()
    expect(await listed()).toEqual([third.id, second.id, first.id])
    await expectLooksRight(page, "charges-of-customer")
    await page.getByRole("button", { name: "Remover filtro: Cliente" }).click()
    await expect.poll(async () => (await listed()).length).toBe(5)
    await page.context().close()
  })

  it("a charge leads to its customer, who is merged into another; the palette finds whoever is left", async () => {
    const seller = await cockpit.seller()
    const { test: client } = clientsOf(cockpit.stage.service.url, seller)
    await makeCharge(client, { customer: ana, amount: 12_001 })
    const mistyped = await makeCharge(client, { customer: wrong, amount: 5_001 })
    const page = await cockpit.open(`/app/charges/${mistyped.id}`, { as: seller })
    await page.getByTestId("charge-customer").getByRole("link").click()
    await page.getByTestId("customer-merge").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("merge-search").fill("ninguém")
    await dialog.getByTestId("submit").click()
    await dialog.getByText("Nenhum outro cliente encontrado.").waitFor()
    await dialog.getByTestId("merge-search").fill("ana")
    await dialog.getByTestId("submit").click()
    await dialog.getByTestId("merge-choice").waitFor()
    expect(await dialog.getByTestId("merge-choice").locator("input").isChecked(), "there is one only").toBe(
      true,
    )
    await expectLooksRight(page, "customer-merge")
    await dialog.getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("customer-count").textContent()).toBe("2")
    const [left, ...others] = await customersOf(client)
    expect([left?.document, left?.charges, others]).toEqual(["52998224725", 2, []])
    expect(page.url()).toContain(`/customers/${left?.id}`)

    await makeCharge(client, { customer: bia, amount: 7_001 })
    await page.getByTestId("customer-merge").click()
    await dialog.getByTestId("merge-search").fill("beatriz")
    await dialog.getByTestId("submit").click()
    await dialog.getByTestId("merge-stays-this").click()
    await dialog.getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("customer-count").textContent()).toBe("3")
    expect(await page.locator("h1").textContent()).toBe(ana.name)

    await page.keyboard.press("Control+k")
    await page.getByTestId("search-input").fill("ana")
    const hit = page.locator(`[data-testid="search-result"][data-id="${left?.id}"]`)
    await hit.waitFor()
    await expectLooksRight(page, "palette-customer")
    await hit.click()
    await expect.poll(() => page.locator("h1").textContent()).toBe(ana.name)
    await page.context().close()
  })
})
