import type { ExceptionAct, ExceptionKind } from "../../../../schema/resources/exception.ts"
import { textsOf } from "../../text/i18n.ts"

interface KindText {
  readonly name: string
  readonly meaning: string
}

interface ActText {
  readonly name: string
  /** What will happen; `amount` is the exception's. */
  readonly consequence: (amount: string) => string
  readonly done: string
}

interface Texts {
  readonly kinds: Readonly<Record<ExceptionKind, KindText>>
  readonly acts: Readonly<Record<ExceptionAct, ActText>>
  readonly details: Readonly<Record<string, string>>
}

/** Kinds, acts and details of exceptions in words (`docs/contract/exceptions.md`). */
export const exceptionTexts = textsOf<Texts>({
  "pt-BR": {
    kinds: {
      payment_unknown: {
        name: "Pix sem cobrança",
        meaning: "Entrou um Pix que não paga nenhuma cobrança nossa.",
      },
      double_payment: {
        name: "Pagamento em dobro",
        meaning: "A cobrança foi paga mais uma vez, ou paga depois de ter falhado.",
      },
      amount_mismatch: {
        name: "Valor diferente",
        meaning: "A cobrança foi paga com outro valor.",
      },
      payment_unconfirmed: {
        name: "Pix não confirmado",
        meaning: "A lista do banco tem um Pix que a consulta não confirma há muito tempo.",
      },
      payment_returned: {
        name: "Pix creditado e devolvido",
        meaning: "O banco devolveu ao pagador um Pix que já tinha sido creditado ao vendedor.",
      },
      payout_unknown: {
        name: "Pagamento desconhecido",
        meaning: "O parceiro fez um pagamento que nunca pedimos.",
      },
      payout_contradicted: {
        name: "Saque contradito",
        meaning: "Saiu mais do que nossos livros têm.",
      },
      payout_returned: {
        name: "Saque devolvido",
        meaning: "Parte de um saque voltou, ou voltou de um jeito que a consulta não confirma.",
      },
      payout_stuck: {
        name: "Saque sem resposta",
        meaning: "O parceiro não diz nada de definitivo sobre o saque há muito tempo.",
      },
      refund_stuck: {
        name: "Devolução sem resposta",
        meaning: "O parceiro não diz nada de definitivo sobre a devolução há muito tempo.",
      },
      partner_changed: {
        name: "Outra conta no parceiro",
        meaning: "Pertence a uma conta do parceiro que não está mais configurada, e não dá para consultar.",
      },
    },
    acts: {
      credit: {
        name: "Creditar ao vendedor",
        consequence: (amount) =>
          `${amount} entram no saldo disponível do vendedor, por inteiro e sem tarifa.`,
        done: "Creditado ao vendedor.",
      },
      refund: {
        name: "Devolver ao pagador",
        consequence: (amount) =>
          `O parceiro devolve ${amount} ao pagador. A exceção fica aberta até a devolução terminar.`,
        done: "Devolução pedida ao parceiro. A exceção se resolve quando ela terminar.",
      },
      debit: {
        name: "Debitar do vendedor",
        consequence: () =>
          "O que saiu no parceiro e não aqui sai do saldo disponível do vendedor, que pode ficar negativo. O status do saque não muda.",
        done: "Debitado do vendedor.",
      },
      return: {
        name: "Devolver ao saldo",
        consequence: () =>
          "O que voltou fica disponível de novo no saldo do vendedor. O status do saque não muda.",
        done: "Devolvido ao saldo do vendedor.",
      },
      settle: {
        name: "Dar como concluído",
        consequence: (amount) =>
          `Vale como se o parceiro tivesse confirmado os ${amount}: a cobrança fica paga, o saque concluído, a devolução concluída.`,
        done: "Dado como concluído.",
      },
      fail: {
        name: "Dar como falho",
        consequence: () =>
          "A cobrança, o saque ou a devolução fica como falho, e o que estava reservado volta a ficar disponível. Confira antes que o parceiro não pagou.",
        done: "Dado como falho.",
      },
      dismiss: {
        name: "Dispensar",
        consequence: () => "Nenhum dinheiro se move: a exceção só fica resolvida.",
        done: "Exceção dispensada.",
      },
    },
    details: {
      amount: "Valor",
      end_to_end_id: "End-to-end",
      txid: "txid",
      payout_id: "Id do pagamento",
      status: "Status quando registrada",
      status_there: "Status no parceiro",
      amount_there: "Pago pelo parceiro",
      returned_amount: "Voltou",
      charge_amount: "Valor da cobrança",
      charge_exception: "O que houve",
      reason: "Motivo",
      processing_at: "Enviado em",
      transaction_id: "Cobrança",
      refund_id: "Id da devolução no parceiro",
      account: "Conta no parceiro",
      configured_account: "Conta configurada",
    },
  },
  en: {
    kinds: {
      payment_unknown: {
        name: "Pix without a charge",
        meaning: "A Pix came in that pays none of our charges.",
      },
      double_payment: {
        name: "Paid twice",
        meaning: "The charge was paid again, or paid after it had failed.",
      },
      amount_mismatch: { name: "Another amount", meaning: "The charge was paid with another amount." },
      payment_unconfirmed: {
        name: "Unconfirmed Pix",
        meaning: "The bank's list has a Pix that its query has not confirmed for a long time.",
      },
      payment_returned: {
        name: "Credited Pix taken back",
        meaning: "The bank returned a Pix to its payer that had been credited to the seller.",
      },
      payout_unknown: {
        name: "Unknown payout",
        meaning: "The acquirer made a payout that we never asked for.",
      },
      payout_contradicted: {
        name: "Contradicted payout",
        meaning: "More left than our books have.",
      },
      payout_returned: {
        name: "Returned payout",
        meaning: "Some of a withdrawal came back, or all of it in a way that its query does not confirm.",
      },
      payout_stuck: {
        name: "Payout without an answer",
        meaning: "The acquirer has said nothing final about the withdrawal for a long time.",
      },
      refund_stuck: {
        name: "Refund without an answer",
        meaning: "The acquirer has said nothing final about the refund for a long time.",
      },
      partner_changed: {
        name: "Another acquirer account",
        meaning: "It belongs to an acquirer account that is no longer configured and cannot be asked about.",
      },
    },
    acts: {
      credit: {
        name: "Credit the seller",
        consequence: (amount) =>
          `${amount} go to the seller's available balance, all of it and without a fee.`,
        done: "Credited to the seller.",
      },
      refund: {
        name: "Refund the payer",
        consequence: (amount) =>
          `The acquirer sends ${amount} back to the payer. The exception stays open until it has.`,
        done: "The acquirer was asked for the refund. The exception is resolved once it is made.",
      },
      debit: {
        name: "Debit the seller",
        consequence: () =>
          "What left there and not here leaves the seller's available balance, which may go below zero. The withdrawal's status stays.",
        done: "Debited from the seller.",
      },
      return: {
        name: "Return to the balance",
        consequence: () => "What came back is available to the seller again. The withdrawal's status stays.",
        done: "Returned to the seller's balance.",
      },
      settle: {
        name: "Settle",
        consequence: (amount) =>
          `As if the acquirer had confirmed the ${amount}: the charge is paid, the withdrawal successful, the refund succeeded.`,
        done: "Settled.",
      },
      fail: {
        name: "Fail",
        consequence: () =>
          "The charge, withdrawal or refund fails, and what it held is available again. Check first that the acquirer did not pay.",
        done: "Failed.",
      },
      dismiss: {
        name: "Dismiss",
        consequence: () => "No money moves: the exception is resolved, nothing else.",
        done: "Exception dismissed.",
      },
    },
    details: {
      amount: "Amount",
      end_to_end_id: "End-to-end id",
      txid: "txid",
      payout_id: "Payout id",
      status: "Status when recorded",
      status_there: "Status at the acquirer",
      amount_there: "Paid by the acquirer",
      returned_amount: "Came back",
      charge_amount: "Amount of the charge",
      charge_exception: "What happened",
      reason: "Reason",
      processing_at: "Sent at",
      transaction_id: "Charge",
      refund_id: "Refund id at the acquirer",
      account: "Acquirer account",
      configured_account: "Configured account",
    },
  },
})

/** A kind in words; one that this version does not know is shown as it is. */
export const kindText = (kind: string): string =>
  (exceptionTexts.value.kinds as Readonly<Record<string, KindText>>)[kind]?.name ?? kind

/** The name of one of an exception's details. */
export const detailText = (name: string): string => exceptionTexts.value.details[name] ?? name
