import type { AlertWhen } from "../../schema/names.ts"
import { moneyText } from "./moneyText.ts"

/** What an alert tells; amounts in centavos. Nothing that a payer or a stranger typed. */
export type AlertNews =
  | {
      readonly when: "endpoint_failing"
      readonly host: string
      readonly attempts: number
      readonly sinceMillis: number
    }
  | { readonly when: "endpoint_disabled"; readonly host: string }
  | {
      readonly when: "payout_failed"
      readonly id: string
      readonly amount: number
      readonly wasReturned: boolean
    }
  | { readonly when: "payout_stuck"; readonly id: string | undefined; readonly amount: number }
  | { readonly when: "chargeback" | "large_charge"; readonly id: string; readonly amount: number }
  | {
      readonly when: "refund_failed"
      readonly id: string
      readonly chargeId: string
      readonly amount: number
    }
  | { readonly when: "balance_below"; readonly available: number; readonly minimum: number }
  | { readonly when: "new_sign_in"; readonly device: string }
  /** Others of the hour are held back. */
  | { readonly when: "held_back"; readonly of: AlertWhen; readonly max: number }

/** An alert's text: its first line is a mail's subject, and `path` is the page of the dashboard that shows it. */
export interface AlertText {
  readonly subject: string
  readonly lines: ReadonlyArray<string>
  readonly path: string
}

const timeFormat = new Intl.DateTimeFormat("pt-BR", {
  timeZone: "America/Sao_Paulo",
  dateStyle: "short",
  timeStyle: "short",
})

/** What alerts are called where others of their kind are held back. */
const names: Readonly<Record<AlertWhen, string>> = {
  endpoint_failing: "endpoint com falhas",
  endpoint_disabled: "endpoint desativado",
  payout_failed: "saque que falhou",
  payout_stuck: "saque parado",
  chargeback: "contestação",
  refund_failed: "devolução que falhou",
  large_charge: "cobrança de valor alto",
  balance_below: "saldo baixo",
  new_sign_in: "novo acesso",
}

/** The text of an alert of live mode, in the language of mails. */
export const alertText = (news: AlertNews): AlertText => {
  switch (news.when) {
    case "endpoint_failing":
      return {
        subject: "Um endpoint de webhooks está falhando",
        lines: [
          `O endpoint em ${news.host} falhou em ${news.attempts} tentativas seguidas, desde ${timeFormat.format(news.sinceMillis)} (horário de Brasília).`,
          "As entregas continuam sendo tentadas. Se ele não voltar, será desativado.",
        ],
        path: "/app/webhooks",
      }
    case "endpoint_disabled":
      return {
        subject: "Um endpoint de webhooks foi desativado",
        lines: [
          `O endpoint em ${news.host} foi desativado porque as entregas falharam por muito tempo.`,
          "Corrija o endereço, ative-o de novo e recupere os eventos perdidos na página dele.",
        ],
        path: "/app/webhooks",
      }
    case "payout_failed":
      return {
        subject: news.wasReturned ? "Um saque foi devolvido pelo banco" : "Um saque falhou",
        lines: [
          `O saque de ${moneyText(news.amount)} (${news.id}) ${news.wasReturned ? "foi devolvido pelo banco" : "falhou"}.`,
          "O valor voltou ao saldo disponível.",
        ],
        path: `/app/withdrawals/${news.id}`,
      }
    case "payout_stuck":
      return {
        subject: "Um saque está demorando mais que o normal",
        lines: [
          `O saque de ${moneyText(news.amount)}${news.id === undefined ? "" : ` (${news.id})`} ainda está em processamento no banco.`,
          "Já estamos verificando. Não é preciso pedir outro.",
        ],
        path: news.id === undefined ? "/app/withdrawals" : `/app/withdrawals/${news.id}`,
      }
    case "chargeback":
      return {
        subject: "Uma cobrança foi contestada",
        lines: [`O banco do pagador tomou de volta ${moneyText(news.amount)} da cobrança ${news.id}.`],
        path: `/app/charges/${news.id}`,
      }
    case "large_charge":
      return {
        subject: `Cobrança de ${moneyText(news.amount)} paga`,
        lines: [`A cobrança ${news.id}, de ${moneyText(news.amount)}, foi paga.`],
        path: `/app/charges/${news.id}`,
      }
    case "refund_failed":
      return {
        subject: "Uma devolução falhou",
        lines: [
          `A devolução de ${moneyText(news.amount)} da cobrança ${news.chargeId} falhou (${news.id}).`,
          "O valor voltou ao saldo.",
        ],
        path: `/app/charges/${news.chargeId}`,
      }
    case "balance_below":
      return {
        subject: `O saldo está abaixo de ${moneyText(news.minimum)}`,
        lines: [
          `O saldo disponível agora é de ${moneyText(news.available)}, abaixo de ${moneyText(news.minimum)}.`,
        ],
        path: "/app/balance",
      }
    case "new_sign_in":
      return {
        subject: "Novo acesso à sua conta",
        lines: [
          "Alguém entrou na sua conta de um dispositivo ou endereço que ainda não conhecíamos.",
          `Dispositivo: ${news.device}`,
          "Se não foi você, redefina a sua senha agora e encerre as sessões que não conhece.",
        ],
        path: "/app/settings",
      }
    case "held_back":
      return {
        subject: `Muitos alertas: ${names[news.of]}`,
        lines: [
          `Já enviamos ${news.max} alertas deste tipo (${names[news.of]}) nesta hora.`,
          "Os próximos desta hora não serão enviados.",
        ],
        path: "/app",
      }
  }
}

/** The message that a test of a URL sends. */
export const alertTestText =
  "Teste da Corrente: os alertas que você escolher chegarão aqui. Nenhuma ação é necessária."
