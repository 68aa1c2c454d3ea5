import type { TransactionStatus } from "../../../schema/resources/transaction.ts"
import type { Language } from "../server/language.ts"

/** What a page says once its charge has a status: in the pill, and as the heading and sentence in place of the code. */
export interface StatusTexts {
  readonly pill: string
  readonly heading: string
  readonly sentence: string
}

/** The words of a receipt. */
interface ReceiptTexts {
  readonly title: string
  readonly amount: string
  readonly paidAt: string
  readonly payee: string
  readonly endToEndId: string
  readonly share: string
  /** Leads to the receipt. */
  readonly open: string
  readonly pdf: string
  readonly print: string
  /** Leads back to the charge. */
  readonly back: string
}

/** The words of payment pages in one language. */
export interface Texts {
  /** With the amount. */
  readonly title: (amount: string) => string
  readonly testMode: string
  readonly payTo: string
  readonly payUntil: string
  readonly expiresIn: string
  readonly validUntil: string
  readonly timeZone: string
  readonly paidAt: string
  /** Before the seller's own number of the order. */
  readonly order: string
  readonly bankShows: string
  /** After the bank's name for the payee, where that is ours. */
  readonly bankIsOurs: string
  readonly showQr: string
  readonly showCode: string
  readonly receipt: ReceiptTexts
  readonly backToShop: string
  readonly qrAlternative: string
  readonly codeLabel: string
  readonly copy: string
  readonly copied: string
  readonly copyFailed: string
  readonly steps: ReadonlyArray<string>
  /** In place of the second step, while the picture is folded away. */
  readonly pasteOnly: string
  readonly checkPayee: string
  readonly withoutScript: string
  readonly offline: string
  readonly reload: string
  readonly days: string
  readonly statuses: Readonly<Record<TransactionStatus, StatusTexts>>
  readonly unknown: StatusTexts
  /** In place of a receipt that there is not. */
  readonly unpaid: StatusTexts
  readonly unavailable: StatusTexts
}

const portuguese: Texts = {
  title: (amount) => `Pagar ${amount} com Pix`,
  testMode: "Modo de teste: não movimenta dinheiro",
  payTo: "Pagamento para",
  payUntil: "Pague até",
  expiresIn: "Expira em",
  validUntil: "Válida até",
  timeZone: "horário de Brasília",
  paidAt: "Pago em",
  order: "Pedido",
  bankShows: "No app do banco aparece",
  bankIsOurs: ", que processa o pagamento",
  showQr: "ou mostre o QR Code a outra pessoa",
  showCode: "Ver o código",
  receipt: {
    title: "Comprovante",
    amount: "Valor",
    paidAt: "Pago em",
    payee: "Para",
    endToEndId: "Id do Pix",
    share: "Compartilhar",
    open: "Ver comprovante",
    pdf: "Baixar PDF",
    print: "Imprimir",
    back: "Voltar à cobrança",
  },
  backToShop: "Voltar para a loja",
  qrAlternative: "QR Code do Pix desta cobrança",
  codeLabel: "Pix copia e cola",
  copy: "Copiar código Pix",
  copied: "Código copiado",
  copyFailed: "Selecione o código e copie",
  steps: [
    "Abra o app do seu banco e escolha pagar com Pix.",
    "Escaneie o QR Code ou cole o código Pix.",
    "Confira o valor e confirme o pagamento.",
  ],
  pasteOnly: "Cole o código Pix que você copiou aqui.",
  checkPayee: "A confirmação aparece aqui assim que o pagamento cair.",
  withoutScript: "Sem JavaScript, esta página não se atualiza sozinha. Depois de pagar,",
  offline: "Sem atualização automática no momento.",
  reload: "recarregue a página",
  days: "d",
  statuses: {
    pending: {
      pill: "Aguardando pagamento",
      heading: "Aguardando pagamento",
      sentence: "Pague com o QR Code ou com o código Pix.",
    },
    paid: {
      pill: "Pago",
      heading: "Pagamento confirmado",
      sentence: "Recebemos o seu Pix. Você já pode fechar esta página.",
    },
    expired: {
      pill: "Expirada",
      heading: "Esta cobrança expirou",
      sentence:
        "O código Pix não pode mais ser pago. Se você acabou de pagar, recarregue a página em alguns minutos; se não, peça uma nova cobrança a quem enviou este link.",
    },
    failed: {
      pill: "Não concluída",
      heading: "Não foi possível concluir esta cobrança",
      sentence: "O código Pix não pode mais ser pago. Peça uma nova cobrança a quem enviou este link.",
    },
    refunded: {
      pill: "Reembolsado",
      heading: "Pagamento reembolsado",
      sentence: "O valor voltou para a conta que pagou este Pix.",
    },
    chargeback: {
      pill: "Devolvido",
      heading: "Pagamento devolvido",
      sentence: "O banco de quem pagou devolveu o valor à conta de origem.",
    },
  },
  unknown: {
    pill: "",
    heading: "Cobrança não encontrada",
    sentence:
      "Este link não leva a nenhuma cobrança. Confira se ele está completo ou peça um novo a quem enviou.",
  },
  unpaid: {
    pill: "",
    heading: "Ainda não há comprovante",
    sentence: "Esta cobrança não foi paga. O comprovante aparece aqui assim que o pagamento cair.",
  },
  unavailable: {
    pill: "",
    heading: "Página indisponível no momento",
    sentence:
      "Não conseguimos mostrar esta cobrança agora. Se você já pagou, seu pagamento não se perde. Esta página tenta de novo sozinha em instantes. Se preferir,",
  },
}

const english: Texts = {
  title: (amount) => `Pay ${amount} with Pix`,
  testMode: "Test mode: moves no money",
  payTo: "Payment to",
  payUntil: "Pay by",
  expiresIn: "Expires in",
  validUntil: "Valid until",
  timeZone: "Brasília time",
  paidAt: "Paid on",
  order: "Order",
  bankShows: "Your bank's app shows",
  bankIsOurs: ", which processes the payment",
  showQr: "or show the QR code to somebody else",
  showCode: "Show the code",
  receipt: {
    title: "Receipt",
    amount: "Amount",
    paidAt: "Paid on",
    payee: "To",
    endToEndId: "Pix id",
    share: "Share",
    open: "See the receipt",
    pdf: "Download PDF",
    print: "Print",
    back: "Back to the charge",
  },
  backToShop: "Back to the shop",
  qrAlternative: "Pix QR code of this charge",
  codeLabel: "Pix copy and paste",
  copy: "Copy Pix code",
  copied: "Code copied",
  copyFailed: "Select the code and copy it",
  steps: [
    "Open your bank's app and choose to pay with Pix.",
    "Scan the QR code, or paste the Pix code.",
    "Check the amount and confirm the payment.",
  ],
  pasteOnly: "Paste the Pix code that you copied here.",
  checkPayee: "This page confirms the payment as soon as it arrives.",
  withoutScript: "Without JavaScript this page does not update by itself. Once you have paid,",
  offline: "Automatic updates are off right now.",
  reload: "reload the page",
  days: "d",
  statuses: {
    pending: {
      pill: "Waiting for payment",
      heading: "Waiting for payment",
      sentence: "Pay with the QR code or the Pix code.",
    },
    paid: {
      pill: "Paid",
      heading: "Payment confirmed",
      sentence: "We have received your Pix. You can close this page.",
    },
    expired: {
      pill: "Expired",
      heading: "This charge has expired",
      sentence:
        "The Pix code can no longer be paid. If you have just paid, reload the page in a few minutes; if not, ask whoever sent you this link for a new charge.",
    },
    failed: {
      pill: "Not completed",
      heading: "This charge could not be completed",
      sentence: "The Pix code can no longer be paid. Ask whoever sent you this link for a new charge.",
    },
    refunded: {
      pill: "Refunded",
      heading: "Payment refunded",
      sentence: "The amount went back to the account that paid this Pix.",
    },
    chargeback: {
      pill: "Returned",
      heading: "Payment returned",
      sentence: "The payer's bank returned the amount to the account it came from.",
    },
  },
  unknown: {
    pill: "",
    heading: "Charge not found",
    sentence:
      "This link leads to no charge. Check that it is complete, or ask whoever sent it for a new one.",
  },
  unpaid: {
    pill: "",
    heading: "There is no receipt yet",
    sentence: "This charge has not been paid. Its receipt is here as soon as the payment arrives.",
  },
  unavailable: {
    pill: "",
    heading: "This page is not available right now",
    sentence:
      "We cannot show this charge at the moment. If you have paid, your payment is not lost. This page tries again by itself in a moment. If you prefer,",
  },
}

/** The words of payment pages. */
export const texts: Readonly<Record<Language, Texts>> = { "pt-BR": portuguese, en: english }
