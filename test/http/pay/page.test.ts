import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { inkOn } from "../../../schema/colors.ts"
import { transactionStatuses } from "../../../schema/resources/transaction.ts"
import { chargePage, policyOf, type ShownCharge, unknownPage } from "../../../src/http/pay/page.ts"
import { languageOf } from "../../../src/http/server/language.ts"

const files = { script: "files/1/pay.js", style: "files/2/pay.css" }
const charge: ShownCharge = {
  status: "pending",
  mode: "live",
  amount: 123_456,
  payee: { name: "Padaria da Ana", legalName: undefined },
  receiptPayee: "Padaria da Ana",
  reference: undefined,
  description: undefined,
  returnUrl: undefined,
  endToEndId: undefined,
  bankName: "PADARIA DA ANA LTDA",
  isBankNameOurs: false,
  brand: { logo: undefined, color: undefined },
  payload: "00020101021226",
  picture: "iVBORw0KGgo=",
  expiresAtMillis: Date.parse("2026-11-22T15:00:00.000Z"),
  paidAtMillis: undefined,
  nowMillis: Date.parse("2026-11-22T14:00:00.000Z"),
}
const pageOf = (changes: Partial<ShownCharge> = {}, language: "pt-BR" | "en" = "pt-BR") =>
  chargePage({ ...charge, ...changes }, language, files, "token")

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
    "a charge that is %s says so in words, and shows no code",
    (status) => {
      for (const language of ["pt-BR", "en"] as const) {
        const page = pageOf({ status }, language)
        expect(page).toContain(`data-status="${status}"`)
        expect(page).toContain('class="outcome"')
        for (const word of ["pay-qr", "pay-payload", "00020101021226"]) expect(page).not.toContain(word)
      }
    },
  )

  it.each(transactionStatuses)(
    "a charge that is %s has the words of what it may turn to, and no others",
    (status) => {
      const page = pageOf({ status, paidAtMillis: charge.nowMillis })
      const words = [...page.matchAll(/<template data-status="(\w+)"/g)].map(([, later]) => later)
      const later: Partial<Record<string, ReadonlyArray<string>>> = {
        pending: ["paid", "expired", "failed", "refunded", "chargeback"],
        paid: ["refunded", "chargeback"],
      }
      expect(words).toEqual(later[status] ?? [])
      expect(page.includes('data-events="token/events"')).toBe(words.length > 0)
      expect(page.includes("<script")).toBe(words.length > 0)
    },
  )

  it("a page says when it was paid, and no longer until when it could be", () => {
    const page = pageOf({ status: "paid", paidAtMillis: charge.nowMillis })
    expect(page).toContain("22/11/2026, 11:00")
    expect(page).not.toContain("pay-countdown")
    expect(pageOf({ status: "expired" })).toContain("Válida até")
  })

  it("a paid charge has a receipt with the Pix's id and the legal name, and the way back to the shop", () => {
    const paid = {
      status: "paid",
      paidAtMillis: charge.nowMillis,
      endToEndId: "E12345678202611221400abcdefghijk",
      receiptPayee: "Ana Souza <Ltda>",
    } as const
    const page = pageOf({ ...paid, returnUrl: 'https://shop.example/?a="1"&b=2' })
    expect(page).toContain('data-testid="pay-receipt"')
    for (const part of ["E12345678202611221400abcdefghijk", "Ana Souza &lt;Ltda&gt;", "Voltar para a loja"]) {
      expect(page).toContain(part)
    }
    expect(page).toContain('href="https://shop.example/?a=&quot;1&quot;&amp;b=2" rel="noreferrer"')
    expect(pageOf(paid)).not.toContain("pay-return")
    for (const status of ["pending", "expired", "failed", "refunded", "chargeback"] as const) {
      const other = pageOf({ ...paid, status, returnUrl: "https://shop.example/" })
      expect(other).not.toContain("pay-receipt")
      expect(other).not.toContain("shop.example")
    }
  })

  it("the order is shown where the seller wants it, and each part is isolated from the other", () => {
    expect(pageOf()).not.toContain("pay-order")
    expect(pageOf({ reference: "<1152>", description: "Café" })).toContain(
      '<p class="order" data-testid="pay-order"><bdi>Café</bdi> · Pedido <bdi>&lt;1152&gt;</bdi></p>',
    )
  })

  it("a seller's logo stands above its name, and its colour is the one rule that the policy allows", () => {
    const brand = { logo: "iVBORw0KGgo=", color: "#ffee00" }
    const page = pageOf({ brand })
    expect(page).toContain('src="data:image/png;base64,iVBORw0KGgo=" alt="" height="40"')
    const [, css = ""] = /<style>([^<]*)<\/style>/.exec(page) ?? []
    expect(css).toBe(":root{--brand:#ffee00;--brand-ink:#000000;--brand-edge:rgb(255 255 255 / 45%)}")
    const hash = createHash("sha256").update(css).digest("base64")
    expect(policyOf({ ...charge, brand })).toContain(`style-src 'self' 'sha256-${hash}'`)
    expect(policyOf(charge)).toContain("style-src 'self';")
    expect(pageOf()).not.toContain("<style>")
  })

  it("words on any colour are read with a contrast of 4.5 to 1 at least", () => {
    const colour = fc.integer({ min: 0, max: 0xffffff }).map((rgb) => `#${rgb.toString(16).padStart(6, "0")}`)
    const luminance = (hex: string) =>
      [1, 3, 5]
        .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        .reduce((sum, part, at) => sum + part * ([0.2126, 0.7152, 0.0722][at] ?? 0), 0)
    fc.assert(
      fc.property(colour, (background) => {
        const [one, other] = [luminance(background), luminance(inkOn(background))]
        expect((Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)).toBeGreaterThanOrEqual(4.5)
      }),
    )
  })

  it("a pending charge says whom the bank names", () => {
    expect(pageOf()).toContain("No app do banco aparece: <strong>PADARIA DA ANA LTDA</strong>")
    expect(pageOf({ bankName: "CORRENTE", isBankNameOurs: true })).toContain(
      "No app do banco aparece <strong>CORRENTE</strong>, que processa o pagamento",
    )
    expect(pageOf({ bankName: undefined })).not.toContain("No app do banco")
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
