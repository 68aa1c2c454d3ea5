import type { CorrenteError } from "../../../../client/src/errors.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusText } from "../../text/statuses.ts"

const texts = textsOf({
  "pt-BR": {
    decided: "Nada foi feito: já houve uma decisão, talvez de outro operador um instante antes.",
    decidedAs: (status: string) =>
      `Nada foi feito: já houve uma decisão, talvez de outro operador um instante antes. Situação agora: ${status}.`,
    underWay: "Nada foi feito: outro ato já foi decidido e está em andamento. Espere ele terminar.",
    bankSays: (says: string) => `Nada foi feito: perguntamos ao banco agora, e ele diz: ${says}.`,
    // As `details.bank_says` has them.
    says: {
      done: "o dinheiro saiu",
      paid: "o dinheiro saiu",
      failed: "o dinheiro não saiu, nem vai sair",
      not_paid: "o dinheiro não saiu, nem vai sair",
      unknown: "não conhece a operação",
    },
    // As `approvalRefusal` names them.
    seller: {
      seller_not_allowed: "O vendedor está suspenso. O saque continua esperando.",
      payout_locked: "Os saques do vendedor estão bloqueados. O saque continua esperando.",
      kyc_required: "O cadastro do vendedor não está aprovado. O saque continua esperando.",
      balance_negative: "O saldo do vendedor está negativo. O saque continua esperando.",
      end_to_end_id_claimed:
        "Esse Pix já pertence a outro saque ou cobrança. Confira o end-to-end no comprovante.",
      other_amount: "O extrato do banco tem esse Pix com outro valor. Confira o end-to-end no comprovante.",
    },
  },
  en: {
    decided:
      "Nothing was done: there has been a decision already, perhaps another operator's a moment before.",
    decidedAs: (status: string) =>
      `Nothing was done: there has been a decision already, perhaps another operator's a moment before. Now: ${status}.`,
    underWay: "Nothing was done: another act is decided and under way. Wait for its end.",
    bankSays: (says: string) => `Nothing was done: asked just now, the bank says: ${says}.`,
    says: {
      done: "the money has left",
      paid: "the money has left",
      failed: "the money has not left and will not",
      not_paid: "the money has not left and will not",
      unknown: "it does not know it",
    },
    seller: {
      seller_not_allowed: "The seller is suspended. The withdrawal keeps waiting.",
      payout_locked: "The seller's withdrawals are locked. The withdrawal keeps waiting.",
      kyc_required: "The seller's identification is not approved. The withdrawal keeps waiting.",
      balance_negative: "The seller's balance is negative. The withdrawal keeps waiting.",
      end_to_end_id_claimed: "This Pix belongs to another withdrawal or charge. Check the id on the receipt.",
      other_amount: "The bank's list has this Pix with another amount. Check the id on the receipt.",
    },
  },
})

/** Why a decision was refused. `isOver`: what it was about is decided, so that asking again would be refused again. */
export interface RefusedDecision {
  readonly isOver: boolean
  readonly words: string
}

/** What a refusal (409 `invalid_state`) of a decision means to the operator; undefined where it is another failure. */
export const refusedDecision = ({ code, details = {} }: CorrenteError): RefusedDecision | undefined => {
  if (code !== "invalid_state") return undefined
  const { value } = texts
  const { reason, bank_says: bankSays } = details
  if (typeof bankSays === "string") {
    const says: Readonly<Record<string, string>> = value.says
    return { isOver: false, words: value.bankSays(says[bankSays] ?? bankSays) }
  }
  if (reason === "act_under_way") return { isOver: true, words: value.underWay }
  const ofSeller: Readonly<Record<string, string>> = value.seller
  const words = ofSeller[String(reason)]
  if (words !== undefined) return { isOver: false, words }
  const now = details.status ?? details.state
  return { isOver: true, words: typeof now === "string" ? value.decidedAs(statusText(now)) : value.decided }
}
