import type { CsvLocale } from "./csv.ts"
import type { RefundStatus, TransactionStatus, WithdrawalStatus } from "./names.ts"

/** States of charges, refunds and withdrawals as pages and files call them. */
export const statusWords: Readonly<
  Record<CsvLocale, Readonly<Record<TransactionStatus | RefundStatus | WithdrawalStatus, string>>>
> = {
  "pt-BR": {
    pending: "Pendente",
    paid: "Paga",
    expired: "Expirada",
    failed: "Falhou",
    refunded: "Devolvida",
    chargeback: "Contestada",
    awaiting: "Aguardando aprovação",
    approved: "Aprovado",
    rejected: "Rejeitado",
    processing: "Processando",
    successful: "Concluído",
    cancelled: "Cancelado",
    succeeded: "Devolvida",
  },
  en: {
    pending: "Pending",
    paid: "Paid",
    expired: "Expired",
    failed: "Failed",
    refunded: "Refunded",
    chargeback: "Charged back",
    awaiting: "Awaiting approval",
    approved: "Approved",
    rejected: "Rejected",
    processing: "Processing",
    successful: "Successful",
    cancelled: "Cancelled",
    succeeded: "Refunded",
  },
}
