import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { maskedDocument } from "../../schema/chargeTexts.ts"
import { limits } from "../../schema/limits.ts"
import { printable } from "../../src/payments/receipts/printable.ts"
import type { Receipt } from "../../src/payments/receipts/receipt.ts"
import { ReceiptPdf, ReceiptPdfLive } from "../../src/payments/receipts/receiptPdf.ts"
import { readPdf } from "../support/pdfText.ts"

describe("texts in the letters of a PDF", () => {
  for (const [text, shown] of [
    ["João da Conceição", "João da Conceição"],
    ["Joa\u0303o", "João"],
    ["Łukasz Đorđe Őze", "Lukasz Dorde Oze"],
    ["Loja 🛍️ da Ana 👩🏽‍🚀🇧🇷", "Loja da Ana"],
    ["“Açaí” – R$\u00a010,00 €", "“Açaí” – R$ 10,00 €"],
    ["王伟", "??"],
    ["🎉", "-"],
    ["", "-"],
  ] as const) {
    it(`${text || "nothing"} is ${shown}`, () => assert.strictEqual(printable(text), shown))
  }
})

it("documents are masked as banks mask them", () => {
  assert.strictEqual(maskedDocument("52998224725"), "***.982.247-**")
  assert.strictEqual(maskedDocument("12345678000195"), "**.345.678/0001-**")
})

const receipt: Receipt = {
  ...{ language: "pt-BR", file: "comprovante", title: "Comprovante", testMode: undefined, footer: "Fim" },
  ...{ issuer: "Loja Ltda", shop: "Loja", amount: "R$ 1,00", logo: undefined, color: undefined },
  facts: [{ label: "Pagador", value: "É".repeat(400) }],
}

it.live(
  "long values wrap within one page, and as many receipts wait as the limit says while more are refused",
  () =>
    Effect.gen(function* () {
      const { write } = yield* ReceiptPdf
      const { pages } = yield* Effect.promise(() => Effect.runPromise(write(receipt)).then(readPdf))
      assert.strictEqual(pages, 1)
      const asked = limits.receiptsWaitingMax + 5
      const answers = yield* Effect.all(
        Array.from({ length: asked }, () => Effect.result(write(receipt))),
        { concurrency: "unbounded" },
      )
      const refused = answers.filter(({ _tag }) => _tag === "Failure").length
      // One is being written while the others wait.
      assert.strictEqual(asked - refused, limits.receiptsWaitingMax + 1)
    }).pipe(Effect.provide(ReceiptPdfLive)),
)
