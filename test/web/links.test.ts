import { readFile } from "node:fs/promises"
import jsqr from "jsqr"
import type { Page } from "playwright-core"
import { PNG } from "pngjs"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { PaymentLink } from "../../schema/resources/paymentLink.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { chargeBody, freshKey } from "../e2e/support/charges.ts"
import type { Client, Page as ListPage } from "../e2e/support/client.ts"
import { refund } from "../e2e/support/refunds.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

const makeLink = async (client: Client, changes: Readonly<Record<string, unknown>> = {}) => {
  const answer = await client.post<PaymentLink>("/v1/payment-links", {
    body: { title: "Oficina de cerâmica", amount: 12_000, ...changes },
    headers: { "Idempotency-Key": freshKey() },
  })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

describePages("payment links", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const payerOf = async (page: Page, url: string) => {
    const payer = await page.context().newPage()
    cockpit.watch(payer)
    await payer.goto(url)
    return payer
  }

  it("a seller makes a link, a payer pays through it, and the seller sees it come in", async () => {
    const seller = await cockpit.seller()
    const { test: client } = clientsOf(cockpit.stage.service.url, seller)
    const page = await cockpit.open("/app/links", { as: seller })
    await expectLooksRight(page, "links-none")
    await page.getByTestId("link-create").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByLabel("O que está sendo pago").fill("Oficina de cerâmica")
    await dialog.getByLabel("Valor em reais").fill("120")
    await dialog.getByText("Mais opções").click()
    await dialog.getByLabel("Descrição").fill("Sábado, das 14h às 17h")
    await dialog.getByLabel("Número máximo").fill("20")
    await expectLooksRight(page, "link-form")
    await dialog.getByTestId("submit").click()
    await page.getByTestId("link-url").waitFor()
    await page.locator(".link-qr img").waitFor()
    const url = (await page.getByTestId("link-url").textContent()) ?? ""
    const share = page.getByTestId("share").getByRole("link", { name: "WhatsApp" })
    expect(decodeURIComponent((await share.getAttribute("href")) ?? "")).toContain(url)
    expect(await page.getByTestId("link-payments").textContent()).toBe("0 de 20")
    await expectLooksRight(page, "link")

    expect(decodeURIComponent((await share.getAttribute("href")) ?? "")).toMatch(/cerâmica: R\$\s120,00/)
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByTestId("link-save-qr").click(),
    ])
    expect(saved.suggestedFilename()).toBe("qr-oficina-de-ceramica.png")
    const qr = PNG.sync.read(await readFile(await saved.path()))
    const codes = jsqr.default(new Uint8ClampedArray(qr.data), qr.width, qr.height)
    expect([qr.width >= 1_000, codes?.data]).toEqual([true, url])

    const payer = await payerOf(page, url)
    expect(await payer.getByTestId("link-title").textContent()).toBe("Oficina de cerâmica")
    await expectLooksRight(payer, "pay-link")
    await payer.getByLabel("Nome completo").fill("Ana Souza")
    await payer.getByLabel("E-mail").fill("ana@example.com")
    await payer.getByLabel("CPF ou CNPJ").fill("529.982.247-26")
    await payer.getByRole("button").click()
    await payer.getByText("este não é um CPF").waitFor()
    await expectLooksRight(payer, "pay-link-wrong")
    // Chromium says so of the answer with the form.
    expect(cockpit.complaints().map((line) => line.replace(/.*(status of \d+).*/, "$1"))).toEqual([
      "status of 400",
    ])
    await payer.getByLabel("CPF ou CNPJ").fill("529.982.247-25")
    await payer.getByRole("button").dblclick()
    await payer.getByTestId("pay-status").waitFor()
    const { data } = (await client.get<ListPage<Transaction>>("/v1/transactions")).body
    expect(data).toHaveLength(1)
    const [charge] = data
    await client.post(`/v1/test/transactions/${charge?.id}/pay`)
    await expect.poll(() => payer.getByTestId("pay-status").getAttribute("data-status")).toBe("paid")
    await expect.poll(() => page.getByTestId("link-payments").textContent()).toBe("1 de 20")
    expect(await page.getByTestId("link-received").getAttribute("data-amount")).toBe("12000")

    expect(await page.getByTestId("link-refunded").count()).toBe(0)
    const { id: refundId } = await refund(client, charge?.id ?? "", { amount: 2_000 })
    await client.post(`/v1/test/refunds/${refundId}/succeed`)

    const other = await client.post<Transaction>("/v1/transactions", {
      body: chargeBody({ amount: 5_001 }),
      headers: { "Idempotency-Key": freshKey() },
    })
    const list = await cockpit.open(`/app/links/${data[0]?.payment_link_id}`, { beside: page })
    await expect.poll(() => list.getByTestId("link-refunded").getAttribute("data-amount")).toBe("-2000")
    await expectLooksRight(list, "link-paid")
    await list.getByTestId("link-charges").click()
    await list.getByTestId("filter-link").getByText("Oficina de cerâmica").waitFor()
    const listed = () =>
      list.getByTestId("charge-row").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-id")))
    await expect.poll(listed).toEqual([charge?.id])
    await expectLooksRight(list, "charges-of-link")
    await list.getByRole("button", { name: "Remover filtro: Link" }).click()
    await expect.poll(listed).toEqual([other.body.id, charge?.id])

    const ofCharge = await cockpit.open(`/app/charges/${charge?.id}`, { beside: page })
    const name = ofCharge.getByTestId("charge-link").getByRole("link", { name: "Oficina de cerâmica" })
    await name.click()
    await ofCharge.getByTestId("link-url").waitFor()
    await page.context().close()
  })

  it("a link is edited and switched off, and its page says so; the list shows what came of each", async () => {
    const seller = await cockpit.seller()
    const { test: client } = clientsOf(cockpit.stage.service.url, seller)
    const link = await makeLink(client)
    await makeLink(client, { title: "Doação", amount: null })
    await makeLink(client, { title: "Rifa", amount: undefined, amount_min: 500, amount_max: 50_000 })
    const page = await cockpit.open(`/app/links/${link.id}`, { as: seller })
    await page.getByRole("button", { name: "Editar" }).click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByLabel("O que está sendo pago").fill("Oficina de barro")
    await dialog.getByText("Quem paga escolhe o valor").click()
    await dialog.getByLabel("Valor mínimo").fill("50")
    await dialog.getByTestId("submit").click()
    await expect.poll(() => page.locator("h1").textContent()).toBe("Oficina de barro")
    const now = (await client.get<PaymentLink>(`/v1/payment-links/${link.id}`)).body
    expect([now.title, now.amount, now.amount_min]).toEqual(["Oficina de barro", null, 5_000])
    await page.getByTestId("link-turn").click()
    await page.locator('[data-testid="link-status"][data-status="off"]').waitFor()
    const payer = await page.context().newPage()
    await payer.goto(link.url)
    await payer.getByText("não está recebendo pagamentos").waitFor()
    await expectLooksRight(payer, "pay-link-off")

    const list = await cockpit.open("/app/links", { beside: page })
    expect(await list.getByTestId("link-row").count()).toBe(3)
    await expectLooksRight(list, "links")
    await list.getByRole("button", { name: "Desativados" }).click()
    await expect.poll(() => list.getByTestId("link-row").count()).toBe(1)
    const open = await payerOf(page, (await makeLink(client, { title: "Livre", amount: null })).url)
    await open.getByLabel("Quanto você quer pagar?").waitFor()
    await page.context().close()
  })
})
