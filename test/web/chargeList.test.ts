import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import readWorkbook from "read-excel-file/node"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import type { Client } from "../e2e/support/client.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import {
  type Cockpit,
  describePages,
  expectLooksRight,
  openCockpit,
  picture,
  ready,
} from "./support/cockpit.ts"
import { saved } from "./support/downloads.ts"

const rowsOf = (page: Page) =>
  page
    .getByTestId("charge-row")
    .evaluateAll((all) => all.map((row) => `${row.dataset.id} ${row.dataset.status}`))
const totalsOf = (page: Page) => page.getByTestId("totals").textContent()

describePages("the list of charges", () => {
  let cockpit: Cockpit
  let seller: SellerPerson
  let client: Client
  /** Ten, oldest first; the even ones are paid. */
  let charges: ReadonlyArray<Transaction>
  let home: Page

  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
    seller = await cockpit.seller()
    client = clientsOf(cockpit.stage.service.url, seller).test
    const names = ["Ana Souza", "Beatriz Conceição", "João Lima", "Fátima Al-Rashid", "Zuleica Prado"]
    const made: Array<Transaction> = []
    for (let i = 0; i < 10; i++) {
      const name = names[i % 5] ?? ""
      const email = `${name.split(" ")[0]?.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()}@example.com`
      const customer = { name, email, document: "529.982.247-25" }
      const { id } = await makeCharge(client, {
        amount: (i + 1) * 1_000,
        customer,
        reference: `pedido-${1_150 + i}`,
      })
      if (i % 2 === 0) await client.post(`/v1/test/transactions/${id}/pay`)
      made.push(await chargeWhen(client, id, i % 2 === 0 ? "paid" : "pending"))
    }
    charges = made
    home = await cockpit.open("/app", { as: seller })
  }, 300_000)
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const linesOf = (wanted: ReadonlyArray<Transaction>) => wanted.map(({ id, status }) => `${id} ${status}`)
  const newest = () => charges.toReversed()

  it("tabs count the charges of each status, and a line says what those shown bring", async () => {
    const page = await cockpit.open("/app/charges", { beside: home })
    await expect.poll(() => rowsOf(page)).toEqual(linesOf(newest()))
    const tab = (status: string) => page.locator(`.status-tab[data-status="${status}"]`)
    await expect.poll(() => tab("all").textContent()).toBe("Todas10")
    expect([await tab("paid").textContent(), await tab("pending").textContent()]).toEqual([
      "Pagas5",
      "Pendentes5",
    ])
    expect(await tab("failed").textContent(), "tabs do not come and go with counts").toBe("Com falha0")
    expect(await totalsOf(page)).toMatch(/^10 cobranças · R\$\s250,00 bruto · R\$\s250,00 líquido$/)
    await expectLooksRight(page, "charges")
    await tab("pending").click()
    await expect
      .poll(() => rowsOf(page))
      .toEqual(linesOf(newest().filter(({ status }) => status === "pending")))
    expect(await totalsOf(page)).toMatch(/^5 cobranças · R\$\s300,00$/)
    expect(new URL(page.url()).search).toBe("?status=pending")
    await page.close()
  })

  it("words find charges by name and order, and the whole row opens", async () => {
    const page = await cockpit.open("/app/charges", { beside: home })
    await page.getByTestId("charge-row").first().waitFor()
    await page.getByTestId("charge-search").focus()
    await page.keyboard.type("joao pedido-115")
    const joao = newest().filter(({ customer }) => customer.name === "João Lima")
    await expect.poll(() => rowsOf(page)).toEqual(linesOf(joao))
    await expect.poll(() => totalsOf(page)).toMatch(/^2 cobranças/)
    await page.reload()
    await ready(page)
    await expect.poll(() => rowsOf(page)).toEqual(linesOf(joao))
    expect(await page.getByTestId("charge-search").inputValue()).toBe("joao pedido-115")
    const live = await makeCharge(client, {
      ...{ amount: 1_001, reference: "pedido-1159" },
      customer: { name: "Joaozinho", email: "j@example.com", document: "529.982.247-25" },
    })
    await expect.poll(async () => (await rowsOf(page))[0]).toBe(`${live.id} pending`)
    await client.post(`/v1/test/transactions/${live.id}/expire`)
    await page.getByTestId("charge-row").first().locator("td.note").click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/app/charges/${live.id}`)
    await page.close()
  })

  it("filters live in the address, survive a reload, and are taken away by their chips", async () => {
    const page = await cockpit.open("/app/charges?status=paid", { beside: home })
    await page.getByTestId("filter-amount").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("amount_min").fill("x")
    await dialog.getByTestId("submit").click()
    await dialog.getByTestId("form-error").filter({ hasText: "12,90" }).waitFor()
    await dialog.getByTestId("amount_min").fill("50,00")
    await dialog.getByLabel("Criada em").selectOption("today")
    await expectLooksRight(page, "charges-filters")
    await dialog.getByTestId("submit").click()
    const wanted = newest().filter(({ status, amount }) => status === "paid" && amount >= 5_000)
    await expect.poll(() => rowsOf(page)).toEqual(linesOf(wanted))
    await page.reload()
    await ready(page)
    await expect.poll(() => rowsOf(page)).toEqual(linesOf(wanted))
    await page.getByTestId("filter-period").getByText("Criada em: Hoje").waitFor()
    await expectLooksRight(page, "charges-filtered")
    await page.getByRole("button", { name: "Remover filtro: Valor" }).click()
    await expect.poll(async () => (await rowsOf(page)).length).toBe(5)
    await page.getByTestId("filter-refund").click()
    await page.getByText("Nenhuma cobrança com estes filtros").waitFor()
    await page.getByRole("button", { name: "Limpar filtros" }).click()
    await expect.poll(async () => (await rowsOf(page)).length).toBe(5)
    expect(new URL(page.url()).search).toBe("?status=paid")
    await page.close()
  })

  it("a filter is kept under a name as a tab, in every browser, and days that end today move on with the days", async () => {
    const page = await cockpit.open("/app/charges?status=pending&amount_min=5000", { beside: home })
    await page.getByTestId("view-save").click()
    await page.getByTestId("view-name").fill("Grandes à espera")
    await page.getByTestId("submit").click()
    const tab = page.getByTestId("view-tab")
    await expect.poll(() => tab.getAttribute("aria-pressed")).toBe("true")
    await page.getByText("Visão salva.").waitFor()
    expect(await page.locator('.status-tab[aria-pressed="true"]').allTextContents()).toEqual([
      "Grandes à espera",
    ])
    await expectLooksRight(page, "charges-view")
    await page.locator('.status-tab[data-status="all"]').click()
    await expect.poll(() => tab.getAttribute("aria-pressed")).toBe("false")

    await page.goto(`${new URL(page.url()).origin}/app/charges`)
    await page.getByTestId("filter-period").click()
    await page.getByTestId("dialog").locator("select").first().selectOption("7d")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByTestId("view-save").click()
    await page.getByTestId("view-name").fill("Grandes à espera")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByText("Outra visão tem este nome.").waitFor()
    await page.getByTestId("view-name").fill("A semana")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await expect.poll(() => tab.allTextContents()).toEqual(["Grandes à espera", "A semana"])
    const saved = await page.evaluate(async () => (await fetch("/v1/me/views")).json())
    expect(saved.data[1]).toEqual({ name: "A semana", query: {}, period: "7d" })

    await page.reload()
    await ready(page)
    await tab.first().click()
    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({ status: "pending", amount_min: "5000" })
    await page.getByTestId("view-remove").click()
    await page.getByTestId("dialog").getByText("Excluir a visão “Grandes à espera”?").waitFor()
    expect(await tab.allTextContents()).toEqual(["Grandes à espera", "A semana"])
    await page.getByTestId("dialog").getByTestId("submit").click()
    await expect.poll(() => tab.allTextContents()).toEqual(["A semana"])
    await page.close()
  })

  it("the filter's charges are saved as a file that a Brazilian spreadsheet reads", async () => {
    const page = await cockpit.open("/app/charges?status=paid&q=ana", { beside: home })
    await page.getByTestId("charge-row").first().waitFor()
    const file = await saved(page, "csv")
    expect(file.suggestedFilename()).toMatch(/^cobrancas-teste-\d{4}-\d{2}-\d{2}\.csv$/)
    const text = readFileSync(await file.path(), "utf8")
    expect(text).toMatch(/^\uFEFFCobrança;Situação;/u)
    expect(text).toContain(";Ana Souza;529.982.247-25;ana@example.com;pedido-1150;")
    expect(text.split("\r\n")).toHaveLength(3)
    const book = await saved(page, "xlsx")
    expect(book.suggestedFilename()).toMatch(/^cobrancas-teste-\d{4}-\d{2}-\d{2}\.xlsx$/)
    const [sheet] = await readWorkbook(await book.path())
    expect(sheet?.data.map((row) => row[7])).toEqual(["Pedido", "pedido-1150"])
    await page.close()
  })

  it("a phone shows at least eight charges, each in 64 px, and its filters in a sheet from below", async () => {
    const page = await cockpit.open("/app/charges", { beside: home, width: 390 })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByTestId("charge-row").first().waitFor()
    await expect.poll(() => totalsOf(page)).toContain("bruto")
    const boxes = await page
      .getByTestId("charge-row")
      .evaluateAll((all) =>
        all.map((row) => row.getBoundingClientRect()).map(({ bottom, height }) => ({ bottom, height })),
      )
    await picture(page, "charges-phone")
    const bar = await page.locator(".tabs").boundingBox()
    expect(boxes.filter(({ bottom }) => bottom <= (bar?.y ?? 0)).length).toBeGreaterThanOrEqual(8)
    expect(boxes.every(({ height }) => height >= 64 && height <= 66)).toBe(true)
    await page.getByTestId("filter-sheet").click()
    // It opens after it is in the document.
    const edges = async () => {
      const sheet = await page.getByTestId("dialog").boundingBox()
      return [sheet?.x, Math.round((sheet?.y ?? 0) + (sheet?.height ?? 0))]
    }
    await expect.poll(edges).toEqual([0, 844])
    await page.close()
  })
})
