import type { ReceiptLanguage } from "./receipt.ts"

/** The words of receipts in one language. */
interface ReceiptTexts {
  readonly payment: string
  readonly refund: string
  readonly transfer: string
  readonly testMode: string
  readonly timeZone: string
  readonly paidAt: string
  readonly payer: string
  readonly document: string
  readonly payee: string
  readonly order: string
  readonly description: string
  readonly endToEndId: string
  readonly refundedSoFar: string
  readonly refundedAt: string
  readonly refundedTo: string
  readonly refundedBy: string
  readonly paymentAmount: string
  readonly returnId: string
  readonly transferredAt: string
  readonly account: string
  readonly pixKey: string
  readonly fee: string
  readonly total: string
  readonly returned: string
  readonly id: string
  readonly footer: string
  /** In a mail. */
  readonly attached: string
  /** Before the link in a mail. */
  readonly link: string
}

const portuguese: ReceiptTexts = {
  payment: "Comprovante de pagamento",
  refund: "Comprovante de devolução",
  transfer: "Comprovante de transferência",
  testMode: "Modo de teste: não movimenta dinheiro",
  timeZone: "horário de Brasília",
  paidAt: "Pago em",
  payer: "Pagador",
  document: "CPF/CNPJ do pagador",
  payee: "Recebedor",
  order: "Pedido",
  description: "Descrição",
  endToEndId: "Id do Pix",
  refundedSoFar: "Devolvido até agora",
  refundedAt: "Devolvido em",
  refundedTo: "Devolvido a",
  refundedBy: "Devolvido por",
  paymentAmount: "Valor do pagamento",
  returnId: "Id da devolução",
  transferredAt: "Transferido em",
  account: "De",
  pixKey: "Para a chave Pix",
  fee: "Tarifa",
  total: "Total debitado",
  returned: "Devolvido depois pelo banco",
  id: "Código",
  footer: "Pix registrado pela Corrente. Confira o id do Pix no extrato do seu banco.",
  attached: "O comprovante em PDF está anexado a este e-mail.",
  link: "Para ver ou imprimir na internet:",
}

const english: ReceiptTexts = {
  payment: "Payment receipt",
  refund: "Refund receipt",
  transfer: "Transfer receipt",
  testMode: "Test mode: moves no money",
  timeZone: "Brasília time",
  paidAt: "Paid on",
  payer: "Payer",
  document: "Payer's CPF/CNPJ",
  payee: "Payee",
  order: "Order",
  description: "Description",
  endToEndId: "Pix id",
  refundedSoFar: "Refunded so far",
  refundedAt: "Refunded on",
  refundedTo: "Refunded to",
  refundedBy: "Refunded by",
  paymentAmount: "Amount of the payment",
  returnId: "Return id",
  transferredAt: "Transferred on",
  account: "From",
  pixKey: "To the Pix key",
  fee: "Fee",
  total: "Total debited",
  returned: "Returned later by the bank",
  id: "Code",
  footer: "Pix recorded by Corrente. You find the Pix id on your bank's statement.",
  attached: "The receipt is attached to this e-mail as a PDF.",
  link: "To see or print it online:",
}

/** The words of receipts. */
export const receiptTexts: Readonly<Record<ReceiptLanguage, ReceiptTexts>> = {
  "pt-BR": portuguese,
  en: english,
}
