import { expect, it, vi } from "vitest"

vi.stubGlobal("localStorage", { getItem: () => "pt-BR", setItem: () => undefined })
const { failureReasonText } = await import("../../web/src/text/bankReasons.ts")
const { language } = await import("../../web/src/text/i18n.ts")

it("a bank's code is told in words of the page, with the code; what is not known stays as it was written", () => {
  language.value = "pt-BR"
  expect(failureReasonText(null, "AC03")).toBe("A conta de destino não existe ou é inválida (AC03)")
  expect(failureReasonText("AM09", "the simulator fails refunds of amounts that end in 02")).toBe(
    "O banco não aceitou o valor (AM09)",
  )
  language.value = "en"
  expect(failureReasonText("AB03", null)).toBe("The bank did not complete the transaction in time (AB03)")
  expect(failureReasonText("ZZ99", "Não foi possível")).toBe("ZZ99: Não foi possível")
  expect(failureReasonText(null, "constructor")).toBe("constructor")
  expect([failureReasonText(null, null), failureReasonText(null, "")]).toEqual([undefined, undefined])
})
