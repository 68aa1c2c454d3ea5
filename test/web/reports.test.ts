import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Report } from "../../schema/resources/report.ts"
import { tagOf } from "../../src/store/keys.ts"
import { signInWith2fa } from "../e2e/support/accountPeople.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"

describePages("reports by mail", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit()
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  /** The reports of a person's mode, as the API has them. */
  const reportsOf = async (person: Awaited<ReturnType<Cockpit["seller"]>>, mode: string) => {
    const browser = await signInWith2fa(cockpit.stage, person)
    const headers = { "X-Mode": mode }
    return (
      await browser.must<{ readonly data: ReadonlyArray<Report> }>("GET", "/v1/me/reports", { headers })
    ).data
  }

  it("a seller has the statement mailed to the accountant every month, from where it is downloaded", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/balance", { as: seller })
    await page.getByRole("button", { name: "Produção" }).click()
    await ready(page)
    await page.getByTestId("export-others").click()
    await page.getByTestId("export-mail-week").click()
    const dialog = page.getByTestId("dialog")
    expect(await dialog.getByTestId("report-kind").inputValue()).toBe("statement")
    expect(await dialog.getByTestId("report-emails").inputValue()).toBe(seller.email)
    expect(await dialog.getByTestId("report-every").inputValue()).toBe("week")
    await dialog.getByTestId("report-every").selectOption("month")
    await expectLooksRight(page, "report-form")
    await dialog.getByTestId("report-format").selectOption("ofx")
    const many = Array.from({ length: 6 }, (_, number) => `a${number}@example.com`).join("\n")
    for (const [emails, problem] of [
      ["  \n", "Informe pelo menos um e-mail."],
      ["contador@example.com\nsocio@", "“socio@” não é um endereço de e-mail."],
      [
        "contador@example.com\n\nsocio@example.com, Socio@example.com",
        "Socio@example.com aparece duas vezes.",
      ],
      [many, "São 6 e-mails; um relatório tem no máximo 5."],
    ] as const) {
      await dialog.getByTestId("report-emails").fill(emails)
      await dialog.getByTestId("submit").click()
      await expect.poll(() => page.getByTestId("form-error").textContent()).toBe(problem)
    }
    await dialog.getByTestId("report-emails").fill("contador@example.com\nsocio@example.com")
    await dialog.getByTestId("submit").click()
    const row = page.getByTestId("report-row")
    await row.getByText("Extrato, OFX (contabilidade)").waitFor()
    expect(await row.textContent()).toContain("Todo mês")
    expect(await row.textContent()).toContain("Ainda não houve")
    const [made, ...others] = await reportsOf(seller, "live")
    expect(others).toEqual([])
    expect(made).toMatchObject({
      ...{ kind: "statement", format: "ofx", every: "month", locale: "pt-BR" },
      emails: ["contador@example.com", "socio@example.com"],
    })

    const id = made?.id ?? ""
    const last = ["last_from", "2026-10-01", "last_to", "2026-10-31", "last_at", 1_793_500_000_000]
    await cockpit.stage.redis("HSET", `rpt:${tagOf(id)}:${id}`, ...last, "last_failed", 1)
    await page.reload()
    await ready(page)
    await page.getByTestId("report-failed").getByText("1 e-mail não chegou").waitFor()
    expect(await row.textContent()).toContain("1 out 2026 a 31 out 2026")
    await expectLooksRight(page, "reports")

    await page.getByTestId("report-remove").click()
    await expectLooksRight(page, "report-remove")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByText("Nenhum relatório").waitFor()
    expect(await reportsOf(seller, "live")).toEqual([])
    await page.context().close()
  })

  it("a seller has a report sent at once, and sees when it went out", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings/reports?create=statement&every=week", { as: seller })
    await page.getByTestId("dialog").getByTestId("submit").click()
    const row = page.getByTestId("report-row")
    await row.getByText("Ainda não houve").waitFor()
    await page.getByTestId("report-send").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByText("com a semana anterior").waitFor()
    expect(await dialog.textContent()).toContain(seller.email)
    await expectLooksRight(page, "report-send")
    await dialog.getByTestId("submit").click()
    await page.getByTestId("notice").getByText("Relatório a caminho").waitFor()
    await row.locator(".report-days").waitFor()
    await page.getByTestId("report-going-out").waitFor({ state: "detached" })
    expect(await row.textContent()).not.toContain("Ainda não houve")
    const [sent] = await reportsOf(seller, "test")
    expect([sent?.last?.failed, Date.parse(sent?.next_at ?? "") > Date.now()]).toEqual([0, true])
    await expectLooksRight(page, "reports-sent")
    await page.context().close()
  })

  it("the page is in English too, and says that reports of test mode go to oneself alone", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings", { as: seller, locale: "en-US" })
    await page.getByTestId("reports-open").click()
    await page.getByText("No reports").waitFor()
    await expectLooksRight(page, "reports-en")
    await page.getByTestId("report-create").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByText("only to your own address").waitFor()
    const emails = dialog.getByTestId("report-emails")
    expect([await emails.inputValue(), await emails.isEnabled()]).toEqual([seller.email, false])
    await dialog.getByTestId("report-kind").selectOption("refunds")
    expect(await dialog.getByTestId("report-format").locator("option").allTextContents()).toEqual([
      ...["Excel (.xlsx)", "CSV", "NDJSON (programs)"],
    ])
    await dialog.getByTestId("report-every").selectOption("week")
    await dialog.getByText("Early on Mondays").waitFor()
    await expectLooksRight(page, "report-form-en")
    await dialog.getByTestId("submit").click()
    await page.getByTestId("report-row").getByText("Refunds, Excel").waitFor()
    expect(await reportsOf(seller, "test")).toMatchObject([
      { every: "week", locale: "en", emails: [seller.email] },
    ])
    await page.context().close()
  })

  it("where the test clock is ahead, the page says that sends follow the real one", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings/reports", { as: seller })
    expect(await page.getByTestId("real-clock").count()).toBe(0)
    const client = clientsOf(cockpit.stage.service.url, seller).test
    const advanced = await client.post("/v1/test/clock/advance", { body: { seconds: 86_400 } })
    expect(advanced.status).toBe(200)
    await page.reload()
    await page.getByTestId("real-clock").getByText("hora real").waitFor()
    await page.context().close()
  })
})
