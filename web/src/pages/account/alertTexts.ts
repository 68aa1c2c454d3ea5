import type { AlertWhen } from "../../../../schema/names.ts"
import { textsOf } from "../../text/i18n.ts"

type Kinds = Readonly<Record<AlertWhen, readonly [name: string, hint: string]>>

/** What alerts are called, and when they come. */
export const kindTexts = textsOf<Kinds>({
  "pt-BR": {
    endpoint_failing: [
      "Endpoint com falhas",
      "Três tentativas seguidas falharam, durante pelo menos 5 minutos.",
    ],
    endpoint_disabled: ["Endpoint desativado", "As entregas falharam por tanto tempo que ele foi desligado."],
    payout_failed: ["Saque que falhou", "O saque falhou, ou o banco o devolveu."],
    payout_stuck: ["Saque parado", "O saque está em processamento há mais tempo que o normal."],
    chargeback: ["Contestação", "O banco do pagador tomou de volta uma cobrança ou parte dela."],
    refund_failed: ["Devolução que falhou", "Uma devolução não chegou ao pagador."],
    large_charge: ["Cobrança de valor alto", "Uma cobrança deste valor ou mais foi paga."],
    balance_below: ["Saldo baixo", "O saldo disponível caiu abaixo deste valor."],
    new_sign_in: [
      "Novo acesso",
      "Alguém entrou na conta de um dispositivo desconhecido. O e-mail é sempre enviado.",
    ],
  },
  en: {
    endpoint_failing: ["Endpoint fails", "Three attempts in a row failed, over at least 5 minutes."],
    endpoint_disabled: ["Endpoint disabled", "Deliveries failed for so long that it was turned off."],
    payout_failed: ["Withdrawal failed", "A withdrawal failed, or the bank gave it back."],
    payout_stuck: ["Withdrawal stuck", "A withdrawal has been processing for longer than usual."],
    chargeback: ["Chargeback", "The payer's bank took back a charge or a part of it."],
    refund_failed: ["Refund failed", "A refund did not reach its payer."],
    large_charge: ["Large charge", "A charge of this amount or more was paid."],
    balance_below: ["Low balance", "The available balance fell below this amount."],
    new_sign_in: ["New sign-in", "Somebody signed in from an unknown device. The mail is always sent."],
  },
})

export const alertTexts = textsOf({
  "pt-BR": {
    title: "Alertas",
    settings: "Configurações",
    lead: "O que avisamos por e-mail ou no chat da sua equipe. Só em produção, nunca do modo de teste.",
    chat: "Chat",
    url: "Endereço do chat",
    urlHint:
      "Um webhook de entrada do Slack ou de outro chat que aceite o mesmo formato. Guarde-o como uma senha.",
    test: "Enviar teste",
    sent: "A mensagem de teste chegou.",
    notSent: (why: string) => `A mensagem de teste não chegou: ${why}.`,
    noUrl: "Preencha o endereço do chat, ou desmarque os alertas que iriam para ele.",
    noAmount: (name: string) => `${name}: preencha o valor.`,
    when: "Avisar quando",
    mail: "E-mail",
    byMail: (name: string) => `${name}, por e-mail`,
    byChat: (name: string) => `${name}, no chat`,
    chatTitle: "Chat da equipe",
    from: "A partir de",
    below: "Abaixo de",
    elsewhere: (host: string) => `Vai para outro endereço, em ${host}.`,
    save: "Salvar",
    saved: "Alertas salvos.",
  },
  en: {
    title: "Alerts",
    settings: "Settings",
    lead: "What we tell you by mail or in your team's chat. Of live mode alone, never of test mode.",
    chat: "Chat",
    url: "Address of the chat",
    urlHint:
      "An incoming webhook of Slack, or of another chat that takes the same form. Keep it like a password.",
    test: "Send a test",
    sent: "The test message arrived.",
    notSent: (why: string) => `The test message did not arrive: ${why}.`,
    noUrl: "Enter the address of the chat, or untick the alerts that would go there.",
    noAmount: (name: string) => `${name}: enter the amount.`,
    when: "Tell when",
    mail: "Mail",
    byMail: (name: string) => `${name}, by mail`,
    byChat: (name: string) => `${name}, in the chat`,
    chatTitle: "Your team's chat",
    from: "From",
    below: "Below",
    elsewhere: (host: string) => `Goes to another address, at ${host}.`,
    save: "Save",
    saved: "The alerts have been saved.",
  },
})
