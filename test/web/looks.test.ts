import type { Locator, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { forgetRates, freshEmail, invite, type SellerPerson } from "../e2e/support/accountPeople.ts"
import { chargeWhen, freshKey, makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"

const boxOf = async (of: Locator) => {
  const box = await of.boundingBox()
  if (box === null) throw new Error("is not shown")
  return box
}

/** The height at which the middle of something is. */
const middleOf = async (of: Locator): Promise<number> => {
  const { y, height } = await boxOf(of)
  return y + height / 2
}

/** How many lines the words of something take: a word that is broken takes two. */
const linesOf = (of: Locator): Promise<number> =>
  of.evaluate((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
  })

const dayMillis = 86_400_000

describePages("lines, gaps and words of the pages", () => {
  let cockpit: Cockpit
  let seller: SellerPerson
  beforeAll(async () => {
    cockpit = await openCockpit()
    seller = await cockpit.seller()
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const client = () => clientsOf(cockpit.stage.service.url, seller).test

  /** A charge that was paid, of which a part went back. */
  const makeRefunded = async (reason: string) => {
    const { id } = await makeCharge(client(), {
      amount: 25_000,
      description: "Assinatura",
      reference: "NF 778",
    })
    await client().post(`/v1/test/transactions/${id}/pay`)
    await chargeWhen(client(), id, "paid")
    await client().post(`/v1/transactions/${id}/refunds`, {
      headers: { "Idempotency-Key": freshKey() },
      body: { amount: 4_533, reason },
    })
    return id
  }

  const refundsEnd = (page: Page) =>
    page.locator('[data-testid="refund-row"][data-status="succeeded"]').first().waitFor()

  it("a dialog's cross is level with its title, and folded fields keep off what opens them", async () => {
    const page = await cockpit.open("/app/charges", { as: seller })
    await page.getByTestId("charge-create").click()
    const dialog = page.getByTestId("dialog")
    const title = dialog.getByRole("heading", { name: "Nova cobrança" })
    const cross = dialog.getByRole("button", { name: "Fechar" })
    expect(Math.abs((await middleOf(title)) - (await middleOf(cross)))).toBeLessThan(1)
    await dialog.getByText("Detalhes").click()
    const [opener, label] = [dialog.getByText("Detalhes"), dialog.getByText("Descrição")]
    const { y, height } = await boxOf(opener)
    expect((await boxOf(label.first())).y - y - height).toBeGreaterThan(8)
    await expectLooksRight(page, "looks-new-charge")
    await page.context().close()
  })

  it("a charge's refunds break no word and stay in their card, and its timeline's amounts are level with their names", async () => {
    const id = await makeRefunded("Desistência")
    const page = await cockpit.open(`/app/charges/${id}`, { as: seller })
    await refundsEnd(page)
    const row = page.getByTestId("refund-row")
    expect(await linesOf(row.getByText("Desistência"))).toBe(1)
    const [table, card] = [page.locator(".charge-refunds table"), page.locator(".charge-refunds")]
    expect((await boxOf(table)).width).toBeLessThanOrEqual((await boxOf(card)).width)
    expect(
      Math.abs(
        (await middleOf(row.getByTestId("receipt-open"))) - (await middleOf(row.locator(".amount .money"))),
      ),
    ).toBeLessThan(1)
    await row.getByRole("button", { name: "Comprovante" }).waitFor()
    expect(await page.getByText("Assinatura", { exact: true }).count()).toBe(1)
    await expectLooksRight(page, "looks-charge-refunds")
    await page.setViewportSize({ width: 390, height: 800 })
    const step = page.locator('.timeline li[data-type="transaction.partially_refunded"] .step')
    const amount = await boxOf(step.locator(".step-amount"))
    expect(Math.abs(amount.y - (await boxOf(step)).y)).toBeLessThan(2)
    await page.context().close()
  })

  it("the buttons of rows are level with their rows", async () => {
    await makeRefunded("Produto com defeito")
    const page = await cockpit.open("/app/refunds", { as: seller })
    await refundsEnd(page)
    const row = page.locator('[data-testid="refund-row"][data-status="succeeded"]').first()
    const apart =
      (await middleOf(row.getByTestId("receipt-open"))) - (await middleOf(row.locator(".amount .money")))
    expect(Math.abs(apart)).toBeLessThan(1)
    expect(await row.getByTestId("refund-reason").textContent()).toMatch(/^NF 778 · \S/)
    expect(await linesOf(row.getByTestId("refund-reason"))).toBe(1)
    await expectLooksRight(page, "looks-refunds")
    await page.goto(`${cockpit.origin}/app/developers`)
    await ready(page)
    const key = page.getByTestId("api-key-row").first()
    const name = await middleOf(key.locator(".title .foreign"))
    for (const act of ["Trocar", "Revogar"])
      expect(Math.abs((await middleOf(key.getByRole("button", { name: act }))) - name)).toBeLessThan(1)
    await expectLooksRight(page, "looks-developers")
    await page.context().close()
  })

  it("with the test clock ahead, sessions, people and keys are told from the true day", async () => {
    const other = await cockpit.seller()
    const ahead = clientsOf(cockpit.stage.service.url, other).test
    const { id } = await makeCharge(ahead, { amount: 1_001 })
    await ahead.post("/v1/test/clock/advance", { body: { seconds: dayMillis / 1_000 } })
    const page = await cockpit.open(`/app/charges/${id}`, { as: other })
    await page.getByText("+1 d").waitFor()
    const seen = async (path: string, row: string) => {
      await page.goto(cockpit.origin + path)
      await ready(page)
      await page.getByText("+1 d").waitFor()
      return page.getByTestId(row).first().locator("time > span").first().textContent()
    }
    expect(await seen("/app/charges", "charge-row")).toMatch(/^ontem /)
    for (const [path, row] of [
      ["/app/settings", "session-row"],
      ["/app/settings/team", "member-row"],
      ["/app/developers", "api-key-row"],
    ] as const)
      expect([path, await seen(path, row)]).toEqual([path, expect.stringMatching(/^hoje /)])
    await page.context().close()
  })

  it("an invited person is told how accounts begin, and a used invite is not asked for again", async () => {
    const { stage, origin } = cockpit
    const page = await cockpit.open("/app/sign-in")
    await page.getByText("O cadastro é por convite").waitFor()
    await expectLooksRight(page, "looks-sign-in")
    const email = freshEmail("looks")
    await page.goto(`${origin}/app/sign-up?invite_token=${await invite(stage, email)}`)
    await page.getByTestId("name-input").waitFor()
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    await forgetRates(stage)
    await page.getByTestId("name-input").fill("Padaria Sol")
    await page.getByTestId("password-input").fill("correct horse battery 7")
    await page.getByTestId("terms-checkbox").check()
    await page.getByTestId("submit").click()
    await page.getByTestId("two-factor-enable").click()
    // Longer than what the feed's beginning waits with before pages read again.
    await page.waitForTimeout(1_500)
    expect(asked.filter((path) => path.includes("/invites/"))).toEqual([])
    await page.context().close()
  })

  it("what is wrong with a brand's name is tied to its field until it is changed", async () => {
    const page = await cockpit.open("/app/settings", { as: seller })
    await page.getByTestId("brand-change").click()
    const dialog = page.getByTestId("dialog")
    const field = dialog.getByTestId("brand-name")
    const hint = await field.getAttribute("aria-describedby")
    await field.fill("Padaria (Central)")
    await dialog.getByTestId("submit").click()
    const errorId = await dialog.getByTestId("form-error").getAttribute("id")
    await expect.poll(() => field.getAttribute("aria-describedby")).toBe(`${errorId} ${hint}`)
    expect(await field.getAttribute("aria-invalid")).toBe("true")
    await field.fill("Padaria Central")
    await expect.poll(() => field.getAttribute("aria-describedby")).toBe(hint)
    expect(await field.getAttribute("aria-invalid")).toBeNull()
    await page.context().close()
  })

  it("invites have the gender of their word", async () => {
    const page = await cockpit.open("/app/admin/invites", { as: await cockpit.operator() })
    const words = await page.locator("select option").allTextContents()
    expect(words).toEqual(["Todas", "Pendente", "Usado", "Revogado", "Expirado"])
    await page.context().close()
  })
})
