import { randomUUID } from "node:crypto"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { sessionCookieName } from "../../schema/api/security.ts"
import type { MemberRole } from "../../schema/memberRoles.ts"
import { forgetRates, freshEmail, mailedToken, type SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { makeClient } from "../e2e/support/client.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"

const password = `correct horse ${randomUUID()}`
/** A page that looks at what its user may not see is refused, and says so on the console. */
const refusals = [/Failed to load resource.* (403|404|409) /]

describePages("the team", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit()
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  /** Opens a path as somebody with a role in a seller's team. */
  const openAs = async (
    seller: SellerPerson,
    role: MemberRole,
    path: string,
    more: { readonly locale?: "en-US"; readonly refundLimit?: number } = {},
  ) => {
    const { token } = await signInAsSeller(cockpit.stage.service, seller.sellerId, { role, ...more })
    const page = await cockpit.open("/app/sign-in", { ...more, allows: refusals })
    const cookie = { name: sessionCookieName, value: token, url: cockpit.origin }
    await page.context().addCookies([cookie])
    await page.goto(cockpit.origin + path)
    await ready(page)
    return page
  }

  const row = (page: Page, text: string) => page.getByTestId("member-row").filter({ hasText: text })
  const act = async (page: Page, text: string, name: string) => {
    await row(page, text).getByTestId("member-acts").click()
    await page.getByTestId(`member-${name}`).click()
  }

  it("an owner invites somebody, who joins by the mailed link, gets another role, and is removed", async () => {
    const owner = await cockpit.seller()
    const page = await cockpit.open("/app/settings", { as: owner, allows: refusals })
    await page.getByTestId("team-open").click()
    await row(page, owner.email).waitFor()
    const email = freshEmail("bia")
    const token = await mailedToken(cockpit.stage, email, "team_invite", async () => {
      await page.getByTestId("member-invite").click()
      await page.getByTestId("email-input").fill(email)
      await page.getByTestId("role-support").check()
      await page.getByTestId("amount-input").fill("500")
      await expectLooksRight(page, "team-invite")
      await page.getByTestId("submit").click()
      await row(page, email).waitFor()
    })
    expect(await row(page, email).getAttribute("data-status")).toBe("invited")
    expect(await row(page, email).textContent()).toMatch(/Atendimento, até R\$\s500,00/)
    await expectLooksRight(page, "team")

    await page.getByTestId("member-invite").click()
    await page.getByTestId("email-input").fill(email)
    await page.getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("form-error").textContent()).toContain("já está na equipe")
    await page.keyboard.press("Escape")

    await forgetRates(cockpit.stage)
    const guest = await cockpit.open(`/app/join?token=${token}`, { allows: refusals })
    await guest.getByText("convida você para a equipe de").waitFor()
    const note = await guest.locator(".account-note").textContent()
    expect(note).toContain(owner.email)
    expect(note).toMatch(/Atendimento. Devoluções de até R\$\s500,00 cada/)
    await expectLooksRight(guest, "join")
    await guest.getByTestId("name-input").fill("Bia Lima")
    await guest.getByTestId("password-input").fill(password)
    await guest.getByRole("checkbox").check()
    await guest.getByTestId("submit").click()
    await guest.getByText("Agora não").click()
    await ready(guest)

    // The owner's page still takes her for invited: nobody is thrown out as an invitation.
    await page.route("**/v1/me/members", (route) => route.abort())
    await act(page, email, "remove")
    await page.unroute("**/v1/me/members")
    await page.getByRole("dialog").getByText("O link enviado").waitFor()
    await page.getByTestId("submit").click()
    await page.getByText("Bia Lima aceitou o convite e já está na equipe.").waitFor()
    await expect.poll(() => page.getByTestId("submit").textContent()).toBe("Remover")
    await expectLooksRight(page, "team-accepted-meanwhile")
    await page.keyboard.press("Escape")
    await page.evaluate(() => dispatchEvent(new Event("focus")))
    await row(page, "Bia Lima").waitFor()
    expect(await row(page, "Bia Lima").getAttribute("data-status")).toBe("active")
    await act(page, "Bia Lima", "change")
    await page.getByTestId("role-viewer").check()
    await page.getByTestId("submit").click()
    await page.getByText("Função alterada.").waitFor()
    await guest.goto(`${cockpit.origin}/app/charges`)
    await ready(guest)
    const create = guest.getByTestId("charge-create")
    expect(await create.isDisabled()).toBe(true)
    const why = "A sua função (leitura) não permite isto. Quem pode: titular, financeiro, desenvolvedor."
    expect(await create.getAttribute("title")).toBe(why)
    await create.click({ force: true })
    await expect.poll(() => guest.getByTestId("notice").textContent()).toBe(why)
    expect(await guest.getByRole("dialog").count()).toBe(0)

    await act(page, "Bia Lima", "remove")
    await page.getByTestId("submit").click()
    await expect.poll(() => row(page, "Bia Lima").count()).toBe(0)
    await guest.reload()
    await guest.getByTestId("no-team").waitFor()
    await expectLooksRight(guest, "no-team")
  })

  it("an invitation is sent again and revoked; its old link is dead, and says so in English too", async () => {
    const owner = await cockpit.seller()
    const page = await cockpit.open("/app/settings/team", { as: owner, locale: "en-US" })
    const email = freshEmail("caio")
    const send = async () => {
      await page.getByTestId("member-invite").click()
      await page.getByTestId("email-input").fill(email)
      await page.getByTestId("submit").click()
      await row(page, email).waitFor()
    }
    const first = await mailedToken(cockpit.stage, email, "team_invite", send)
    const second = await mailedToken(cockpit.stage, email, "team_invite", () => act(page, email, "resend"))
    await page.getByText("Invitation sent again.").waitFor()
    const guest = await cockpit.open(`/app/join?token=${first}`, { locale: "en-US", allows: refusals })
    await guest.getByText("This invitation is not valid").waitFor()
    await guest.goto(`${cockpit.origin}/app/join?token=${second}`)
    await guest.getByText("invites you to join the team of").waitFor()
    await act(page, email, "remove")
    await page.getByTestId("submit").click()
    await expect.poll(() => row(page, email).count()).toBe(0)
    await guest.reload()
    await guest.getByText("This invitation is not valid").waitFor()
  })

  it("the ownership goes over, after which the former owner may not change the team, and leaves it", async () => {
    const owner = await cockpit.seller()
    const member = await signInAsSeller(cockpit.stage.service, owner.sellerId, { role: "finance" })
    const page = await cockpit.open("/app/settings/team", { as: owner })
    await act(page, member.email, "transfer")
    await expectLooksRight(page, "team-transfer")
    await page.getByTestId("role-viewer").check()
    await page.getByTestId("submit").click()
    await page.getByTestId("your-role").waitFor()
    expect(await page.getByTestId("your-role").getAttribute("data-role")).toBe("viewer")
    expect(await page.getByTestId("member-invite").isDisabled()).toBe(true)
    expect(await page.getByTestId("member-acts").count()).toBe(0)
    await page.getByTestId("team-leave").click()
    await expectLooksRight(page, "team-leave")
    await page.getByTestId("submit").click()
    await page.getByTestId("no-team").waitFor()
  })

  /** Pages, and what stands on each for whoever may: enabled or disabled, with what it takes. */
  const controls = [
    ["/app/charges", "charge-create", ["owner", "finance", "developer"]],
    ["/app/links", "link-create", ["owner", "finance", "developer"]],
    ["/app/withdrawals", "withdrawal-create", ["owner", "finance"]],
    ["/app/withdrawals", "pix-key-add", ["owner", "finance"]],
    ["/app/webhooks", "endpoint-create", ["owner", "developer"]],
    ["/app/developers", "api-key-create", ["owner", "developer"]],
    ["/app/settings", "name-change", ["owner"]],
    ["/app/settings", "brand-change", ["owner"]],
    ["/app/settings/team", "member-invite", ["owner"]],
    ["/app/settings/reports", "report-create", ["owner", "finance"]],
    ["/app/test", "clock-advance", ["owner", "developer"]],
  ] as const

  for (const role of ["owner", "finance", "developer", "support", "viewer"] as const) {
    it(`on every page, ${role} can press what the role allows, and is told why not of the rest`, async () => {
      const seller = await cockpit.seller()
      const page = await openAs(seller, role, "/app")
      for (const [path, testId, roles] of controls) {
        await page.goto(cockpit.origin + path)
        await ready(page)
        const control = page.getByTestId(testId).first()
        await control.waitFor()
        const isAllowed = roles.some((one) => one === role)
        expect([role, testId, await control.isDisabled()]).toEqual([role, testId, !isAllowed])
        if (!isAllowed) expect(await control.getAttribute("title")).toContain("Quem pode: titular")
      }
      await page.goto(`${cockpit.origin}/app/settings/alerts`)
      await ready(page)
      expect(await page.getByTestId("submit").isDisabled()).toBe(role !== "owner")
      expect(await page.getByTestId("role-note").count()).toBe(role === "owner" ? 0 : 1)
      await page.goto(`${cockpit.origin}/app/charges?create=1`)
      await ready(page)
      const mayCharge = role !== "support" && role !== "viewer"
      await expect.poll(() => page.getByRole("dialog").count()).toBe(mayCharge ? 1 : 0)
      if (role === "viewer") await expectLooksRight(page, "team-viewer")
    })
  }

  it("keys of live mode are the owner's, and a developer is told so", async () => {
    const seller = await cockpit.seller()
    const page = await openAs(seller, "developer", "/app/developers")
    expect(await page.getByTestId("api-key-create").isEnabled()).toBe(true)
    await page.evaluate(() => localStorage.setItem("corrente.mode", "live"))
    await page.reload()
    await ready(page)
    expect(await page.getByTestId("api-key-create").getAttribute("title")).toContain("Quem pode: titular.")
  })

  it("support refunds up to its limit, which the form begins with and says", async () => {
    const seller = await cockpit.seller()
    const client = makeClient(cockpit.stage.service.url, seller.keys.test)
    const { id } = await makeCharge(client, { amount: 9_000 })
    await client.post(`/v1/test/transactions/${id}/pay`)
    const page = await openAs(seller, "support", `/app/charges/${id}`, { refundLimit: 5_000 })
    await page.getByRole("button", { name: "Devolver" }).first().click()
    const amount = page.getByTestId("amount-input")
    expect(await amount.inputValue()).toBe("50,00")
    await amount.fill("50,01")
    await page.getByTestId("submit").click()
    await expect
      .poll(() => page.getByTestId("form-error").textContent())
      .toMatch(/O seu limite por devolução é R\$\s50,00/)
    const dialog = page.getByRole("dialog")
    expect(await dialog.textContent()).toMatch(/No máximo R\$\s50,00, o seu limite/)
    expect(await dialog.textContent()).not.toContain("90,00 o")
    expect(await dialog.getByRole("button", { name: "Tudo" }).count()).toBe(0)
    expect(await dialog.getByRole("button", { name: "Metade" }).count()).toBe(1)
    await amount.fill("50,00")
    await expectLooksRight(page, "team-refund-limit")
    await page.getByTestId("submit").click()
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0)
    const nothing = await openAs(seller, "support", `/app/charges/${id}`)
    expect(await nothing.getByRole("button", { name: "Devolver" }).first().getAttribute("title")).toContain(
      "ainda não definiu",
    )
  })
})
