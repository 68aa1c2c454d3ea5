import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { balanceOf, fund } from "../e2e/support/withdrawals.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { saved } from "./support/downloads.ts"
import { confirmStepUp, endStepUp } from "./support/stepUp.ts"

/** Chromium itself reports every refusal. */
const refusals = [/Failed to load resource.* (400|403|409) /]
const hostile = `<img src=x onerror=alert(1)> \u200fשלום ${"W".repeat(90)}`

describePages("the pages of money", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const clientOf = (seller: SellerPerson) => clientsOf(cockpit.stage.service.url, seller).test

  /** A seller with money, which a test control paid. */
  const fundedSeller = async (amount: number): Promise<SellerPerson> => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    const paying = fund(client, amount)
    await expect
      .poll(async () => {
        const { body } = await client.get<{ readonly data: ReadonlyArray<{ readonly id: string }> }>(
          "/v1/transactions?status=pending",
        )
        const pending = body.data[0]
        if (pending !== undefined) await client.post(`/v1/test/transactions/${pending.id}/pay`)
        return (await balanceOf(client)).available
      })
      .toBe(amount)
    await paying
    return seller
  }

  const amountOf = async (page: Page, testId: string) =>
    Number(await page.getByTestId(testId).getAttribute("data-amount"))

  const addKey = async (page: Page) => {
    await page.getByTestId("pix-key-add").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("pix-key-type").selectOption("email")
    await dialog.getByTestId("pix-key-value").fill("ana@example.com")
    await dialog.getByTestId("submit").click()
    await page.getByTestId("pix-key-row").waitFor()
  }

  const request = async (page: Page, amount: string, description = "") => {
    await page.getByTestId("withdrawal-create").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("amount-input").fill(amount)
    await dialog.getByLabel("Descrição").fill(description)
    await dialog.getByTestId("submit").click()
    return dialog
  }

  it("a seller with nothing is led from the empty pages to the first Pix key", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/balance", { as: seller })
    await expect.poll(() => amountOf(page, "balance-available")).toBe(0)
    await page.getByText("Nenhum movimento neste período").waitFor()
    await expectLooksRight(page, "balance-empty")

    await page.goto(`${cockpit.stage.service.url}/app/withdrawals`)
    await ready(page)
    await expect.poll(() => amountOf(page, "balance-available")).toBe(0)
    await expectLooksRight(page, "withdrawals-empty")
    await page.getByTestId("withdrawal-create").click()
    await page.getByTestId("dialog").getByText("Adicionar chave Pix").click()
    await page.getByTestId("dialog").getByTestId("pix-key-value").fill("529.982.247-25")
    await expectLooksRight(page, "pix-key-dialog")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("pix-key-row").getAttribute("data-status")).toBe("verified")
    await page.getByTestId("pix-key-remove").click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByText("Nenhuma chave Pix").waitFor()
    await page.context().close()
  })

  it("a Pix key, a step-up and a withdrawal: from the form to successful, live", async () => {
    const seller = await fundedSeller(50_000)
    const page = await cockpit.open("/app/withdrawals", { as: seller, allows: refusals })
    await endStepUp(cockpit.stage, page)
    await page.getByTestId("pix-key-add").click()
    await page.getByTestId("dialog").getByTestId("pix-key-type").selectOption("phone")
    await page.getByTestId("dialog").getByTestId("pix-key-value").fill("+5500987654321")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await confirmStepUp(page, seller)
    await page.getByTestId("dialog").getByText("Informe +55, o DDD e o número").waitFor()
    await page.getByTestId("dialog").getByTestId("pix-key-type").selectOption("cpf")
    await page.getByTestId("dialog").getByTestId("pix-key-value").fill("529.982.247-25")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByTestId("pix-key-row").waitFor()

    await page.getByTestId("withdrawal-create").click()
    const dialog = page.getByTestId("dialog")
    const submit = async () => (await dialog.getByTestId("submit").textContent())?.replace(/\u00a0/g, " ")
    expect([await submit(), await dialog.getByTestId("withdrawal-total").count()]).toEqual(["Sacar", 0])
    await dialog.getByTestId("amount-input").fill("150,00")
    await expect.poll(submit).toBe("Sacar R$ 150,00")
    await expect.poll(() => amountOf(page, "withdrawal-fee")).toBe(100)
    await expect.poll(() => amountOf(page, "withdrawal-total")).toBe(15_100)
    await dialog.getByLabel("Descrição").fill(hostile)
    await expectLooksRight(page, "withdrawal-dialog")
    await dialog.getByTestId("submit").click()
    const row = page.getByTestId("withdrawal-row")
    await row.waitFor()
    await expect.poll(() => row.getAttribute("data-status")).toBe("awaiting")
    await expect.poll(() => amountOf(page, "balance-available")).toBe(34_900)
    await expectLooksRight(page, "withdrawals")

    await row.getByRole("link").click()
    await ready(page)
    const status = page.getByTestId("withdrawal-status")
    const act = (name: string) => page.locator(`[data-testid="test-act"][data-act="${name}"]`)
    await page.getByTestId("ledger-row").waitFor()
    await act("approve").click()
    await act("succeed").click()
    await expect.poll(() => status.getAttribute("data-status")).toBe("successful")
    await expect.poll(() => page.getByTestId("ledger-row").count()).toBe(2)
    await expect.poll(() => page.getByTestId("test-act").count()).toBe(0)
    await expectLooksRight(page, "withdrawal")
    await page.context().close()
  })

  it("a withdrawal is cancelled, or decided elsewhere, and the page follows without a reload", async () => {
    const seller = await fundedSeller(20_000)
    const page = await cockpit.open("/app/withdrawals", { as: seller, allows: refusals })
    await addKey(page)
    await request(page, "10,00")
    await page.getByTestId("withdrawal-row").waitFor()
    const other = await cockpit.open("/app/withdrawals", { beside: page })
    await page.getByTestId("withdrawal-row").getByRole("link").click()
    const fee = page.getByRole("definition").filter({ hasText: "Não cobrada" })
    await page.getByTestId("withdrawal-cancel").waitFor()
    expect([await fee.count(), await amountOf(page, "withdrawal-amount")]).toEqual([0, 1_000])
    await page.getByTestId("withdrawal-cancel").click()
    await expect
      .poll(() => page.getByTestId("withdrawal-status").getAttribute("data-status"))
      .toBe("cancelled")
    await expect.poll(() => other.getByTestId("withdrawal-row").getAttribute("data-status")).toBe("cancelled")
    await expect.poll(() => amountOf(other, "balance-available")).toBe(20_000)
    await fee.waitFor()
    await expectLooksRight(page, "withdrawal-cancelled")
    await other.getByTestId("withdrawal-row").getByText("Não cobrada").waitFor()
    await expectLooksRight(other, "withdrawals-cancelled")
    await page.context().close()
  })

  it("what leads from the balance and from home to a withdrawal opens its form", async () => {
    const seller = await cockpit.seller()
    for (const from of ["/app/balance", "/app"]) {
      const page = await cockpit.open(from, { as: seller })
      await page.getByRole("link", { name: "Sacar" }).click()
      await page.getByTestId("dialog").getByText("Novo saque").waitFor()
      await page.keyboard.press("Escape")
      await page.getByTestId("dialog").waitFor({ state: "detached" })
      expect(new URL(page.url()).search).toBe("")
      await page.context().close()
    }
  })

  it("a withdrawal's moment is the same on home and in the list: when it was requested", async () => {
    const seller = await fundedSeller(50_000)
    const page = await cockpit.open("/app/withdrawals", { as: seller })
    await addKey(page)
    await request(page, "10,00")
    await page.getByTestId("withdrawal-row").getByRole("link").click()
    for (const name of ["approve", "succeed"])
      await page.locator(`[data-testid="test-act"][data-act="${name}"]`).click()
    await expect
      .poll(() => page.getByTestId("withdrawal-status").getAttribute("data-status"))
      .toBe("successful")
    const momentOn = async (path: string, part: string) => {
      await page.goto(cockpit.stage.service.url + path)
      await ready(page)
      return page.locator(part).getAttribute("datetime")
    }
    const requested = await momentOn("/app/withdrawals", '[data-testid="withdrawal-row"] time')
    expect(await momentOn("/app", ".home-facts time")).toBe(requested)
    expect(await page.locator(".home-facts").textContent()).toContain("solicitado hoje")
    await page.context().close()
  })

  it("refusals say in words what is missing, and the form stays", async () => {
    const seller = await fundedSeller(1_000)
    const page = await cockpit.open("/app/withdrawals", { as: seller, allows: refusals })
    await addKey(page)
    const dialog = await request(page, "10,00")
    const words = async () => (await dialog.getByTestId("form-error").textContent())?.replace(/\u00a0/g, " ")
    await expect.poll(words).toBe("Saldo insuficiente: há R$ 10,00 disponíveis, e são necessários R$ 11,00.")
    await dialog.getByTestId("amount-input").fill("0,99")
    await dialog.getByTestId("submit").click()
    await expect.poll(words).toBe("O valor mínimo é R$ 1,00.")
    await dialog.getByTestId("amount-input").fill("nada")
    await dialog.getByTestId("submit").click()
    await expect.poll(words).toBe("Informe um valor em reais, como 150,00.")
    await dialog.getByText("Sacar tudo").click()
    await dialog.getByTestId("submit").click()
    await expect.poll(() => amountOf(page, "balance-available")).toBe(0)
    await request(page, "1,00")
    await expect.poll(words).toContain("Saldo insuficiente")
    await page.context().close()
  })

  it("the statement downloads as CSV, and its lines add up to the balance", async () => {
    const seller = await fundedSeller(30_000)
    const page = await cockpit.open("/app/withdrawals", { as: seller })
    await addKey(page)
    await request(page, "100,00")
    await page.getByTestId("withdrawal-row").waitFor()
    await page.goto(`${cockpit.stage.service.url}/app/balance`)
    await ready(page)
    await expect.poll(() => page.getByTestId("ledger-row").count()).toBe(2)
    const day = page.getByTestId("statement-day")
    expect(
      await day
        .locator("[data-amount]")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-amount"))),
    ).toEqual(["30000", "10100", "19900"])
    const totals = page.getByTestId("statement-totals").locator("[data-sum]")
    const sums = () => totals.evaluateAll((all) => all.map((one) => one.getAttribute("data-amount")))
    await expect.poll(sums).toEqual(["0", "30000", "10100", "19900"])
    const held = page.getByTestId("ledger-row").first()
    expect((await held.textContent())?.replace(/\u00a0/g, " ")).toContain("Pix R$ 100,00 + tarifa R$ 1,00")
    await page.getByTestId("entry-open").first().click()
    await page.getByText("Lançamento contábil").waitFor()
    await expectLooksRight(page, "balance")
    await page.getByTestId("statement-kind").selectOption("sales")
    await expect.poll(() => page.getByTestId("ledger-row").count()).toBe(1)
    await page.getByTestId("ledger-row").getByText("Venda · ").waitFor()
    await expect.poll(sums).toEqual(["30000", "0"])
    await page.getByTestId("statement-kind").selectOption("")
    const download = await saved(page, "csv")
    expect(download.suggestedFilename()).toMatch(
      /^extrato-[a-z0-9-]+-teste-\d{4}-\d{2}-01-\d{4}-\d{2}-\d{2}\.csv$/,
    )
    const [header, ...lines] = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\r\n")
    expect(header).toBe(
      "Data;Hora;O que houve;Pagador;CPF/CNPJ;Pedido;txid;end_to_end_id;Bruto;Tarifa;Líquido;Entrada;Saída;Saldo",
    )
    const centavos = (text = "") => Math.round(Number(text.replace(",", ".")) * 100)
    const sum = lines.reduce((total, line) => {
      const cells = line.split(";")
      return total + centavos(cells[11]) - centavos(cells[12])
    }, 0)
    expect(lines.length).toBe(2)
    expect(sum).toBe(await amountOf(page, "balance-available"))
    expect(centavos(lines.at(-1)?.split(";")[13])).toBe(sum)

    const ofx = await saved(page, "ofx")
    expect(ofx.suggestedFilename()).toMatch(/^extrato-.*\.ofx$/)
    expect(readFileSync(await ofx.path(), "latin1")).toContain(`<BALAMT>${(sum / 100).toFixed(2)}</BALAMT>`)
    const json = await saved(page, "ndjson")
    const objects = readFileSync(await json.path(), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly balance: number })
    expect(objects.at(-1)?.balance).toBe(sum)
    await page.context().close()
  })

  it("what left and came back on a day is neither in nor out, and a failure says why in words", async () => {
    const seller = await fundedSeller(30_000)
    const page = await cockpit.open("/app/withdrawals", { as: seller })
    await addKey(page)
    await request(page, "10,02")
    await page.getByTestId("withdrawal-row").getByRole("link").click()
    for (const name of ["approve", "fail"])
      await page.locator(`[data-testid="test-act"][data-act="${name}"]`).click()
    await expect.poll(() => page.getByTestId("withdrawal-status").getAttribute("data-status")).toBe("failed")
    await page.getByText("Falha simulada no modo de teste (test_control)").waitFor()
    await expectLooksRight(page, "withdrawal-failed")
    await page.goto(`${cockpit.stage.service.url}/app/balance`)
    await ready(page)
    await expect.poll(() => page.getByTestId("ledger-row").count()).toBe(3)
    const amounts = (part: string) =>
      page.locator(part).evaluateAll((all) => all.map((one) => one.getAttribute("data-amount")))
    expect(await amounts('[data-testid="statement-day"] [data-amount]')).toEqual([
      ...["30000", "0", "1102", "30000"],
    ])
    await expect
      .poll(() => amounts('[data-testid="statement-totals"] [data-sum]'))
      .toEqual(["0", "30000", "0", "1102", "30000"])
    await page.getByTestId("ledger-row").first().getByText("devolvido ao saldo").waitFor()
    await expectLooksRight(page, "balance-returned")
    await page.context().close()
  })

  it("50 entries fit 3,600 px of a phone, two lines each, and their days stay in sight", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    for (let number = 0; number < 50; number++) {
      const { id } = await makeCharge(client, {
        amount: 4_290,
        metadata: { order: `pedido-${1_001 + number}` },
      })
      await client.post(`/v1/test/transactions/${id}/pay`)
    }
    const page = await cockpit.open("/app/balance", { as: seller })
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(() => page.getByTestId("ledger-row").count()).toBe(50)
    const height = await page
      .locator(".statement")
      .evaluate((element) => element.getBoundingClientRect().height)
    expect(height).toBeLessThanOrEqual(3_600)
    await page.getByTestId("ledger-row").last().scrollIntoViewIfNeeded()
    expect(await page.getByTestId("statement-day").evaluate((day) => day.getBoundingClientRect().top)).toBe(
      56,
    )
    await page.context().close()
  })

  it("a statement that cannot be had says why, and a period that is none is told before", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/balance?from=2026-11-23&to=2026-11-01", { as: seller })
    await expect
      .poll(() => page.getByTestId("form-error").textContent())
      .toBe("O início precisa vir antes do fim.")
    await expect.poll(() => page.getByTestId("export-xlsx").count()).toBe(0)
    await page.getByTestId("statement-from").fill("2026-10-01")
    await page.route("**/v1/me/statement/export*", (route) =>
      route.fulfill({
        status: 429,
        contentType: "application/json",
        body: JSON.stringify({
          error: { type: "rate_limit_error", code: "rate_limited", message: "Later." },
        }),
      }),
    )
    await page.getByTestId("export-xlsx").click()
    await page.getByText("Muitas tentativas. Aguarde um pouco e tente de novo.").waitFor()
    expect(cockpit.complaints().join()).toContain("429")
    await page.context().close()
  })

  it("withdrawals are saved as a workbook or CSV, of the status that is shown", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/withdrawals?status=awaiting", { as: seller })
    await page.getByText("Nenhum saque nesta situação").waitFor()
    await page.getByTestId("export-others").click()
    expect(await page.locator(".export-menu li").allTextContents()).toEqual([
      ...[" CSV", " NDJSON (sistemas)"],
      ...[" Por e-mail todo dia…", " Por e-mail toda semana…", " Por e-mail todo mês…"],
    ])
    await expectLooksRight(page, "withdrawals-export")
    await page.keyboard.press("Escape")
    const book = await saved(page, "xlsx")
    expect(book.suggestedFilename()).toMatch(/^saques-teste-\d{4}-\d{2}-\d{2}\.xlsx$/)
    await page.context().close()
  })

  it("refunds are saved as CSV in the page's language", async () => {
    const page = await cockpit.open("/app/refunds", { as: await cockpit.seller() })
    await page.getByText("Nenhuma devolução ainda").waitFor()
    const file = await saved(page, "csv")
    expect(file.suggestedFilename()).toMatch(/^devolucoes-teste-\d{4}-\d{2}-\d{2}\.csv$/)
    expect(readFileSync(await file.path(), "utf8")).toMatch(/^\uFEFFDevolução;Situação;/u)
    await page.context().close()
  })

  it("withdrawals whose address names a status that there is not are all shown", async () => {
    const page = await cockpit.open("/app/withdrawals?status=unheard-of", { as: await cockpit.seller() })
    await page.getByText("Nenhum saque ainda").waitFor()
    expect(await page.getByLabel("Situação").locator("option:checked").textContent()).toBe("Todas")
  })

  it("a page about an id that there is not says so", async () => {
    const seller = await cockpit.seller()
    const allows = [/Failed to load resource.* 404 /]
    const page = await cockpit.open("/app/withdrawals/wd_unknown", { as: seller, allows })
    await page.getByText("Não encontrado.").waitFor()
    await page.context().close()
  })
})
