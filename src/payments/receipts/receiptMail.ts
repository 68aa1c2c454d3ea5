import type { Mail } from "../../mail/mailer.ts"
import type { Receipt } from "./receipt.ts"
import { receiptTexts } from "./receiptTexts.ts"

/** The mail with a receipt: all that it says, its PDF, and the link to its page, where it has one. */
export const receiptMail = (
  receipt: Receipt,
  pdf: Uint8Array,
  link: string | undefined,
): Omit<Mail, "to"> => {
  const { title, issuer, shop, testMode, amount, facts, footer, language, file } = receipt
  return {
    purpose: "receipt",
    // Payers know the shop by its own name.
    subject: `${title}: ${shop ?? issuer}`,
    text: [
      ...(testMode === undefined ? [] : [testMode, ""]),
      `${title}: ${amount}`,
      "",
      ...facts.map(({ label, value }) => `${label}: ${value}`),
      "",
      receiptTexts[language].attached,
      ...(link === undefined ? [] : ["", receiptTexts[language].link, link]),
      "",
      footer,
      "",
      "Corrente",
    ].join("\n"),
    attachments: [{ filename: `${file}.pdf`, contentType: "application/pdf", content: pdf }],
  }
}
