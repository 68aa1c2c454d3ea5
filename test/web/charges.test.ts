import jsqr from "jsqr"
import type { Page } from "playwright-core"
import { PNG } from "pngjs"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Refund } from "../../schema/resources/refund.ts"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import {
  axe,
  type Cockpit,
  describePages,
  expectLooksRight,
  openCockpit,
  picture,
  ready,
} from "./support/cockpit.ts"
import { confirmStepUp, endStepUp } from "./support/stepUp.ts"

/** Chromium itself reports every refusal. */
const refusals = [/Failed to load resource.* (400|403|404|409|502) /]
const longName = `<img src=x onerror=alert(1)> \u200f\u05e9\u05dc\u05d5\u05dd ${"W".repeat(85)}`

/** What a phone reads from the picture of a QR code. */
const scan = async (page: Page, testId: string): Promise<string | undefined> => {
  const { data, width, height } = PNG.sync.read(await page.getByTestId(testId).screenshot())
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data
}

const statusOf = (page: Page) => page.getByTestId("charge-status").getAttribute("data-status")

const actsOf = (page: Page) =>
  page.getByTestId("test-act").evaluateAll((buttons) => buttons.map((button) => button.dataset.act))

describePages("the pages of charges", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    // Only what a test does happens.
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const clientOf = (seller: SellerPerson) => clientsOf(cockpit.stage.service.url, seller).test

  const makePaid = async (seller: SellerPerson, changes: Readonly<Record<string, unknown>> = {}) => {
    const client = clientOf(seller)
    const { id } = await makeCharge(client, changes)
    await client.post(`/v1/test/transactions/${id}/pay`)
    return chargeWhen(client, id, "paid")
  }

  it("a charge is created by the form, shown with its QR code, and turns paid without a reload", async () => {
    const page = await cockpit.open("/app/charges", { as: await cockpit.seller() })
    await expectLooksRight(page, "charges-empty")
    await page.getByTestId("charge-create").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("amount-input").fill("1.012,90")
    await dialog.getByTestId("customer-name").fill("Bia Lima")
    await dialog.getByTestId("customer-email").fill("bia@example.com")
    await dialog.getByTestId("customer-document").fill("529.982.247-25")
    expect(await axe(page)).toEqual([])
    await picture(page, "charge-create")
    await dialog.getByTestId("amount-input").press("Enter")

    const qr = page.getByTestId("charge-qr")
    await qr.waitFor()
    await expect.poll(() => statusOf(page)).toBe("pending")
    const payload = await page.getByTestId("pix-payload").textContent()
    expect(payload).toMatch(/^000201010212/)
    expect(await scan(page, "charge-qr")).toBe(payload)
    await expect.poll(() => actsOf(page)).toEqual(["pay", "expire", "fail"])
    await expectLooksRight(page, "charge-pending")

    const loaded = await page.evaluate("performance.timeOrigin")
    await page.locator('[data-act="pay"]').click()
    await expect.poll(() => statusOf(page)).toBe("paid")
    await expect.poll(() => actsOf(page)).toEqual(["refund", "chargeback"])
    await page.getByText("Cobrança paga").first().waitFor()
    expect(await page.evaluate("performance.timeOrigin")).toBe(loaded)
  })

  it("a form that cannot be sent says why, in words, and is sent once it is right", async () => {
    const page = await cockpit.open("/app/charges?create=1&amount=1003", {
      as: await cockpit.seller(),
      allows: refusals,
    })
    const dialog = page.getByTestId("dialog")
    const amount = dialog.getByTestId("amount-input")
    await expect.poll(() => amount.inputValue()).toBe("10,03")
    const refusedWith = async (text: RegExp) => {
      await dialog.getByTestId("submit").click()
      await dialog.getByTestId("form-error").filter({ hasText: text }).waitFor()
    }
    await refusedWith(/parceiro bancário/)
    await amount.fill("dez")
    await refusedWith(/valor como 12,90/)
    await amount.fill("10,00")
    await dialog.getByTestId("customer-document").fill("123")
    await refusedWith(/CPF/)
    await dialog.getByTestId("customer-document").fill("52998224725")
    await dialog.getByTestId("submit").click()
    await page.getByTestId("charge-qr").waitFor()
  })

  it("part of a charge is refunded after a step-up that goes on by itself", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    const charge = await makePaid(seller)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller, allows: refusals })
    await endStepUp(cockpit.stage, page)
    await page.getByRole("button", { name: "Devolver", exact: true }).click()
    const dialog = page.getByTestId("dialog")
    await expect.poll(() => dialog.getByTestId("amount-input").inputValue()).toBe("129,90")
    await dialog.getByTestId("amount-input").fill("129,91")
    await dialog.getByTestId("submit").click()
    await dialog.getByTestId("form-error").filter({ hasText: "129,90" }).waitFor()
    await dialog.getByTestId("amount-input").fill("29,90")
    await dialog.getByTestId("refund-reason").fill("Um item voltou")
    await picture(page, "charge-refund")
    await dialog.getByTestId("submit").click()
    await confirmStepUp(page, seller)
    const row = page.getByTestId("refund-row")
    await row.waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
    const { body } = await client.get<{ readonly data: ReadonlyArray<Refund> }>("/v1/refunds")
    expect(body.data.map(({ amount, reason }) => [amount, reason])).toEqual([[2_990, "Um item voltou"]])

    await client.post(`/v1/test/refunds/${body.data[0]?.id}/succeed`)
    await expect.poll(() => row.getAttribute("data-status")).toBe("succeeded")
    await page.getByText("Devolução concluída").waitFor()
    await page.getByText("Cobrança devolvida em parte").waitFor()
    await expect.poll(() => statusOf(page)).toBe("paid")
    await expectLooksRight(page, "charge-refunded")
    // What is left is offered next.
    await page.getByRole("button", { name: "Devolver", exact: true }).click()
    await expect.poll(() => dialog.getByTestId("amount-input").inputValue()).toBe("100,00")
    await page.keyboard.press("Escape")

    await page.goto(`${cockpit.stage.service.url}/app/refunds`)
    await ready(page)
    await expect.poll(() => page.getByTestId("refund-row").count()).toBe(1)
    await expectLooksRight(page, "refunds")
    await page.getByTestId("refund-row").getByRole("link").click()
    await page.getByTestId("charge-status").waitFor()
  })

  it("a refund whose answer a proxy loses is made once, however often the form is sent", async () => {
    const seller = await cockpit.seller()
    const charge = await makePaid(seller)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller, allows: refusals })
    let sent = 0
    await page.route(/\/refunds$/, async (route) => {
      const response = await route.fetch()
      sent += 1
      const lost = { status: 502, contentType: "text/html", body: "<h1>502 Bad Gateway</h1>" }
      await route.fulfill(sent === 1 ? lost : { response })
    })
    await page.getByRole("button", { name: "Devolver", exact: true }).click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("amount-input").fill("29,90")
    await dialog.getByTestId("submit").click()
    await dialog.getByTestId("form-error").filter({ hasText: "A resposta não veio do serviço" }).waitFor()
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.count()).toBe(0)
    const { body } = await clientOf(seller).get<{ readonly data: ReadonlyArray<Refund> }>("/v1/refunds")
    expect([sent, body.data.map(({ amount }) => amount)]).toEqual([2, [2_990]])
  })

  it("the test clock expires a charge, whose page shows it without a reload", async () => {
    const seller = await cockpit.seller()
    // The simulator never pays this amount.
    const { id } = await makeCharge(clientOf(seller), { amount: 1_001, pix: { expires_in_seconds: 3_600 } })
    const charge = await cockpit.open(`/app/charges/${id}`, { as: seller })
    const page = await cockpit.open("/app/test", { beside: charge })
    await expectLooksRight(page, "test")
    const now = async () => Date.parse((await page.getByTestId("clock-now").getAttribute("data-now")) ?? "")
    const before = await now()
    const steps = await page
      .getByTestId("clock-advance")
      .evaluateAll((buttons) => buttons.map((button) => Number(button.dataset.seconds)))
    expect(steps).toEqual([60, 3_600, 86_400, 604_800, 2_592_000])
    await page.locator('[data-testid="clock-advance"][data-seconds="86400"]').click()
    await expect.poll(now).toBeGreaterThanOrEqual(before + 86_400_000)
    await expect.poll(() => statusOf(charge)).toBe("expired")
    await expect.poll(() => actsOf(charge)).toEqual(["pay"])
    await page.getByText("1 dia à frente do tempo real").waitFor()
    // The links of amounts lead to a form that has them.
    await page.getByRole("link", { name: /10,01/ }).click()
    await expect.poll(() => page.getByTestId("dialog").getByTestId("amount-input").inputValue()).toBe("10,01")
  })

  it("filters live in the address, survive a reload, and rows change as charges do", async () => {
    const seller = await cockpit.seller()
    const paid = await makePaid(seller)
    const { id } = await makeCharge(clientOf(seller))
    const page = await cockpit.open("/app/charges", { as: seller })
    const rows = async () =>
      page
        .getByTestId("charge-row")
        .evaluateAll((all) => all.map((row) => `${row.dataset.id} ${row.dataset.status}`))
    await expect.poll(() => rows()).toEqual([`${id} pending`, `${paid.id} paid`])
    await page.getByLabel("Status").selectOption("paid")
    await page.getByLabel("Período").selectOption("today")
    await expect.poll(rows).toEqual([`${paid.id} paid`])
    await page.reload()
    await ready(page)
    await expect.poll(() => page.getByLabel("Status").inputValue()).toBe("paid")
    await expect.poll(() => page.getByLabel("Período").inputValue()).toBe("today")
    await expect.poll(() => rows()).toEqual([`${paid.id} paid`])
    await clientOf(seller).post(`/v1/test/transactions/${id}/pay`)
    await expect.poll(rows).toEqual([`${id} paid`, `${paid.id} paid`])
    await page.getByLabel("Período").selectOption("custom")
    await page.getByLabel("Até").fill("2020-01-02")
    await page.getByLabel("De", { exact: true }).fill("2020-01-01")
    await page.getByText("Nenhuma cobrança com estes filtros").waitFor()
    await page.getByRole("button", { name: "Limpar filtros" }).click()
    await expect.poll(async () => (await rows()).length).toBe(2)
    expect(new URL(page.url()).search).toBe("")
  })

  it("names with markup, other directions and 120 characters without a space break no page", async () => {
    const seller = await cockpit.seller()
    const charge = await makeCharge(clientOf(seller), {
      customer: { name: longName, email: "ana@example.com", document: "529.982.247-25" },
      items: [{ name: longName + longName.slice(0, 80), quantity: 1_000_000, unit_amount: 999_999_999_999 }],
      metadata: { ["k".repeat(40)]: longName.repeat(4) },
      amount: 999_999_999_999,
    })
    const page = await cockpit.open("/app/charges", { as: seller })
    await page.getByText(longName).first().waitFor()
    await expectLooksRight(page, "charges-hostile")
    await page.getByTestId("charge-row").getByRole("link").click()
    await page.getByTestId("charge-qr").waitFor()
    expect(page.url()).toContain(charge.id)
    await expectLooksRight(page, "charge-hostile")
    await expect.poll(() => page.locator("img[src='x']").count()).toBe(0)
  })

  it("a charge that is not the seller's says so", async () => {
    const other = await makeCharge(clientOf(await cockpit.seller()))
    const page = await cockpit.open(`/app/charges/${other.id}`, {
      as: await cockpit.seller(),
      allows: refusals,
    })
    await page.getByText("Não encontrado").waitFor()
  })
})
