import type { OperatorWithdrawal } from "../../../../schema/api/operatorWithdrawals.ts"
import { call } from "../../api/http.ts"
import { failureReasonText } from "../../text/bankReasons.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Code, Foreign, Moment, Money, Status } from "../../ui/values.tsx"
import type { Act } from "./acts.tsx"
import { WithdrawalDossier } from "./dossier.tsx"
import { NamedSeller } from "./parts.tsx"

const texts = textsOf({
  "pt-BR": {
    approve: "Aprovar",
    reject: "Rejeitar",
    requested: "Pedido em",
    fee: "Tarifa",
    from: "Total debitado",
    available: "Saldo disponível do vendedor",
    note: "Descrição do vendedor",
    why: "Motivo",
    e2e: "End-to-end",
    returned: "Voltou do banco",
    debited: "Debitado",
    id: "Saque",
    seller: "Vendedor",
    secondYou: "Você já pediu a aprovação. Falta outro operador aprovar.",
    secondOther: "Outro operador já pediu a aprovação: a sua efetiva o saque.",
    blocked: {
      suspended: "O vendedor está suspenso: a aprovação seria recusada.",
      locked: "Os saques do vendedor estão bloqueados: a aprovação seria recusada.",
      debt: "O saldo do vendedor está negativo: a aprovação seria recusada.",
    },
    waitsForBalance:
      "O saldo do vendedor está negativo: o pagamento só segue para o banco quando o saldo voltar.",
    approveTitle: "Aprovar saque",
    approveText: (amount: string, key: string) =>
      `${amount} serão enviados por Pix para ${key}. Depois de enviado, o dinheiro não volta sozinho.`,
    approveTest: "Modo de teste: nenhum dinheiro é movimentado.",
    approved: "Saque aprovado. O pagamento segue para o banco.",
    rejectTitle: "Rejeitar saque",
    rejectText: (total: string) => `Nada é pago, e ${total} voltam ao saldo disponível do vendedor.`,
    rejectHint: "O vendedor vê este motivo.",
    rejected: "Saque rejeitado. O valor voltou ao saldo do vendedor.",
  },
  en: {
    approve: "Approve",
    reject: "Reject",
    requested: "Requested",
    fee: "Fee",
    from: "Total debited",
    available: "Seller's available balance",
    note: "Seller's description",
    why: "Reason",
    e2e: "End-to-end id",
    returned: "Given back by the bank",
    debited: "Debited",
    id: "Withdrawal",
    seller: "Seller",
    secondYou: "You have asked for the approval. Another operator must approve too.",
    secondOther: "Another operator has asked for the approval: yours carries it out.",
    blocked: {
      suspended: "The seller is suspended: an approval would be refused.",
      locked: "The seller's withdrawals are locked: an approval would be refused.",
      debt: "The seller's balance is negative: an approval would be refused.",
    },
    waitsForBalance: "The seller's balance is negative: the payment goes to the bank once it no longer is.",
    approveTitle: "Approve the withdrawal",
    approveText: (amount: string, key: string) =>
      `${amount} will be sent by Pix to ${key}. Once sent, the money does not come back by itself.`,
    approveTest: "Test mode: no money moves.",
    approved: "Withdrawal approved. The payment goes to the bank.",
    rejectTitle: "Reject the withdrawal",
    rejectText: (total: string) => `Nothing is paid, and ${total} return to the seller's available balance.`,
    rejectHint: "The seller sees this reason.",
    rejected: "Withdrawal rejected. The money is back in the seller's balance.",
  },
})

/** Approves a withdrawal. */
export const approval = (withdrawal: OperatorWithdrawal): Act => ({
  title: texts.value.approveTitle,
  explanation: (
    <>
      <p>
        <Foreign>{texts.value.approveText(formatMoney(withdrawal.amount), withdrawal.pix_key.value)}</Foreign>
      </p>
      {withdrawal.mode === "test" && <p>{texts.value.approveTest}</p>}
    </>
  ),
  submit: texts.value.approve,
  perform: (body) => call("POST /v1/admin/withdrawals/:id/approve", { params: { id: withdrawal.id }, body }),
  isDecision: true,
  done: texts.value.approved,
})

/** Rejects a withdrawal. */
export const rejection = (withdrawal: OperatorWithdrawal): Act => ({
  title: texts.value.rejectTitle,
  explanation: <p>{texts.value.rejectText(formatMoney(withdrawal.total))}</p>,
  submit: texts.value.reject,
  isDanger: true,
  reason: "required",
  reasonHint: texts.value.rejectHint,
  perform: (body) => call("POST /v1/admin/withdrawals/:id/reject", { params: { id: withdrawal.id }, body }),
  isDecision: true,
  done: texts.value.rejected,
})

/** Why an approval would be refused, or an approved one waits, as things are; undefined where neither is so. */
const blockOf = (of: OperatorWithdrawal): string | undefined => {
  const isInDebt = of.available < 0
  if (of.status === "approved" && isInDebt) return texts.value.waitsForBalance
  if (of.status !== "awaiting") return undefined
  if (of.seller_status === "suspended") return texts.value.blocked.suspended
  if (of.payout_locked_until !== null) return texts.value.blocked.locked
  return isInDebt ? texts.value.blocked.debt : undefined
}

interface CaseProps {
  readonly of: OperatorWithdrawal
  readonly asked: "you" | "other" | undefined
  readonly ask: (act: Act) => void
}

/** A withdrawal of any seller, and what decides it while it awaits approval. */
export const WithdrawalCase = ({ of: withdrawal, asked, ask }: CaseProps) => {
  const { id, status, amount, fee, total, description, failure_reason, end_to_end_id } = withdrawal
  const isAwaiting = status === "awaiting"
  const block = blockOf(withdrawal)
  return (
    <article class="card case" data-testid="withdrawal-row" data-id={id} data-status={status}>
      <header class="case-head">
        <strong class="case-amount">
          <Money amount={amount} />
        </strong>
        <Status status={status} />
        <span class="muted">
          {texts.value.requested} <Moment at={withdrawal.created_at} />
        </span>
        {isAwaiting && (
          <span class="case-acts">
            <Button data-testid="reject" kind="danger" onClick={() => ask(rejection(withdrawal))}>
              {texts.value.reject}
            </Button>
            <Button data-testid="approve" kind="primary" onClick={() => ask(approval(withdrawal))}>
              {texts.value.approve}
            </Button>
          </span>
        )}
      </header>
      <p class="case-line">
        <span>
          {texts.value.fee}: <Money amount={fee} />
        </span>
        <span>
          {texts.value.from}: <Money amount={total} />
        </span>
        <span data-testid="available">
          {texts.value.available}: <Money amount={withdrawal.available} />
        </span>
        {description !== null && (
          <span>
            {texts.value.note}: <Foreign>{description}</Foreign>
          </span>
        )}
        {failure_reason !== null && (
          <span>
            {texts.value.why}: <Foreign>{failureReasonText(null, failure_reason) ?? failure_reason}</Foreign>
          </span>
        )}
        {end_to_end_id !== null && (
          <span>
            {texts.value.e2e}: <Code>{end_to_end_id}</Code>
          </span>
        )}
        {withdrawal.returned_amount !== undefined && (
          <span>
            {texts.value.returned}: <Money amount={withdrawal.returned_amount} />
          </span>
        )}
        {withdrawal.debited_amount !== undefined && (
          <span>
            {texts.value.debited}: <Money amount={withdrawal.debited_amount} />
          </span>
        )}
        <span>
          {texts.value.id}: <Code>{id}</Code>
        </span>
        {!isAwaiting && (
          <span>
            {texts.value.seller}: <NamedSeller of={withdrawal} />
          </span>
        )}
      </p>
      {block !== undefined && <p class="warning">{block}</p>}
      {asked !== undefined && isAwaiting && (
        <p class="warning" data-testid="second-operator" data-by={asked}>
          {asked === "you" ? texts.value.secondYou : texts.value.secondOther}
        </p>
      )}
      {isAwaiting && <WithdrawalDossier of={withdrawal} />}
    </article>
  )
}
