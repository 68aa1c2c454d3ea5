import { describe, expect, it } from "vitest"
import { transactionStatuses } from "../../../schema/resources/transaction.ts"
import { chargePage, type ShownCharge, unknownPage } from "../../../src/http/pay/page.ts"
import { languageOf } from "../../../src/http/pay/texts.ts"

const files = { script: "files/1/pay.js", style: "files/2/pay.css" }
const charge: ShownCharge = {
  status: "pending",
  mode: "live",
  amount: 123_456,
  payee: { name: "Padaria da Ana", legalName: undefined },
  payload: "00020101021226",
  picture: "iVBORw0KGgo=",
  expiresAtMillis: Date.parse("2026-11-22T15:00:00.000Z"),
  paidAtMillis: undefined,
  nowMillis: Date.parse("2026-11-22T14:00:00.000Z"),
}
const pageOf = (changes: Partial<ShownCharge> = {}, language: "pt-BR" | "en" = "pt-BR") =>
  chargePage({ ...charge, ...changes }, language, files, "token/events")

describe("a payment page's words", () => {
  it.each([
    ["", "pt-BR"],
    ["*", "pt-BR"],
    ["pt-BR,pt;q=0.9,en;q=0.8", "pt-BR"],
    ["en-US,en;q=0.9", "en"],
    ["en;q=0.5, pt;q=0.6", "pt-BR"],
    ["fr-FR, en;q=0.2", "en"],
    ["en;q=0", "pt-BR"],
    ["EN", "en"],
    ["en;q=x;;,,", "pt-BR"],
  ])("a browser that accepts %j reads %s", (accepted, language) => {
    expect(languageOf(accepted)).toBe(language)
  })

  it("a pending charge is shown with amount, seller, code, picture and expiry in Brazil's time", () => {
    const page = pageOf()
    expect(page).toContain('<html lang="pt-BR">')
    expect(page).toMatch(/R\$\s1\.234,56/)
    expect(page).toContain("Padaria da Ana")
    expect(page).toContain("00020101021226")
    expect(page).toContain("data:image/png;base64,iVBORw0KGgo=")
    expect(page).toContain("22/11/2026, 12:00")
    expect(page).toContain('data-left="3600000"')
    expect(pageOf({}, "en")).toContain("R$1,234.56")
  })

  it("an amount that no float can halve is shown to the centavo", () => {
    expect(pageOf({ amount: 999_999_999_999 })).toMatch(/R\$\s9\.999\.999\.999,99/)
    expect(pageOf({ amount: 1 })).toMatch(/R\$\s0,01/)
  })

  it.each(transactionStatuses.filter((status) => status !== "pending"))(
    "a charge that is %s says so in words, and shows no code and no script",
    (status) => {
      for (const language of ["pt-BR", "en"] as const) {
        const page = pageOf({ status }, language)
        expect(page).toContain(`data-status="${status}"`)
        expect(page).toContain('class="outcome"')
        for (const word of ["pay-qr", "pay-payload", "00020101021226", "<script", "data-events"])
          expect(page).not.toContain(word)
      }
    },
  )

  it("a page says when it was paid", () => {
    expect(pageOf({ status: "paid", paidAtMillis: charge.nowMillis })).toContain("22/11/2026, 11:00")
  })

  it("test mode is marked, live mode is not", () => {
    expect(pageOf({ mode: "test" })).toContain("Modo de teste")
    expect(pageOf()).not.toContain("Modo de teste")
  })

  it("an approved legal name stands beside a display name that differs, each isolated from the other", () => {
    const page = pageOf({ payee: { name: "Banco) (Banco S.A.", legalName: "João <Ltda>" } })
    expect(page).toContain(
      '<span data-testid="pay-seller"><bdi>Banco) (Banco S.A.</bdi> <span class="legal">(<bdi>João &lt;Ltda&gt;</bdi>)</span></span>',
    )
  })

  it("a hostile name is text, isolated from the direction of what is around it", () => {
    const name = `"><script>alert(1)</script>&lt;\u202e'`
    const page = pageOf({ payee: { name, legalName: undefined } })
    expect(page).not.toContain("<script>alert")
    expect(page).toContain(
      '<bdi data-testid="pay-seller">&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;\u202e&#39;</bdi>',
    )
    expect(page.split("\u202e").length).toBe(2)
  })

  it("a page has no style and no handler in its markup, which its policy would refuse", () => {
    for (const page of [pageOf(), pageOf({ status: "paid" }), unknownPage("en", files)]) {
      expect(page).not.toMatch(/\sstyle=|<style|\son\w+=/)
      expect(page).not.toMatch(/https?:\/\//)
    }
  })
})
