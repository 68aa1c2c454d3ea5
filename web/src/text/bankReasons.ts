import { textsOf } from "./i18n.ts"

/** Why banks refuse a Pix or its return, by codes of ISO 20022 as the Central Bank's manuals of Pix use them; and what test mode says. */
const texts = textsOf<Readonly<Record<string, string>>>({
  "pt-BR": {
    AB03: "O banco não concluiu a transação a tempo",
    AB09: "Erro no banco de destino",
    AB11: "Erro no banco de origem",
    AC03: "A conta de destino não existe ou é inválida",
    AC06: "A conta de destino está bloqueada",
    AC07: "A conta de destino foi encerrada",
    AC14: "A conta de destino não recebe este tipo de transação",
    AG03: "O banco de destino não aceita este tipo de transação",
    AM02: "O valor passa do limite da conta de destino",
    AM04: "Faltou saldo na conta que paga",
    AM09: "O banco não aceitou o valor",
    AM12: "O banco recusou o valor por ser inválido",
    BE01: "O CPF ou CNPJ não é do titular da conta de destino",
    BE17: "O QR Code não é aceito pelo banco de destino",
    DS04: "O banco de destino recusou",
    DS27: "O banco de destino não está no Pix",
    DUPL: "O banco já tem esta transação",
    ED05: "A liquidação falhou",
    FOCR: "Devolvido a pedido do banco de quem pagou",
    FR01: "Suspeita de fraude",
    MD06: "Devolvido a pedido de quem recebeu",
    RR04: "Recusado por regra do banco ou do regulador",
    SL02: "O banco de destino não oferece este serviço",
    test_control: "Falha simulada no modo de teste",
  },
  en: {
    AB03: "The bank did not complete the transaction in time",
    AB09: "Error at the receiving bank",
    AB11: "Error at the sending bank",
    AC03: "The receiving account does not exist or is invalid",
    AC06: "The receiving account is blocked",
    AC07: "The receiving account was closed",
    AC14: "The receiving account does not take this kind of transaction",
    AG03: "The receiving bank does not take this kind of transaction",
    AM02: "The amount is above the limit of the receiving account",
    AM04: "The paying account lacked the money",
    AM09: "The bank did not accept the amount",
    AM12: "The bank refused the amount as invalid",
    BE01: "The CPF or CNPJ is not that of the receiving account's holder",
    BE17: "The receiving bank does not accept the QR code",
    DS04: "The receiving bank refused",
    DS27: "The receiving bank is not part of Pix",
    DUPL: "The bank has this transaction already",
    ED05: "The settlement failed",
    FOCR: "Returned at the request of the payer's bank",
    FR01: "Suspected fraud",
    MD06: "Returned at the request of the receiver",
    RR04: "Refused by a rule of the bank or the regulator",
    SL02: "The receiving bank does not offer this service",
    test_control: "Failure simulated in test mode",
  },
})

/**
 * Why a withdrawal or a refund failed, in the page's language: `A conta de destino não existe ou é inválida (AC03)`. Where the code is
 * not known, what the bank or the operator wrote; undefined where nothing is known.
 */
export const failureReasonText = (code: string | null, words: string | null): string | undefined => {
  const known = code ?? words ?? ""
  const text = Object.hasOwn(texts.value, known) ? texts.value[known] : undefined
  if (text === undefined) return [code, words].filter((part) => part).join(": ") || undefined
  return `${text} (${known})`
}
