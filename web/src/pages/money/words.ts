import { textsOf } from "../../text/i18n.ts"

type Words = Readonly<Record<string, string>>

const kinds = textsOf<Words>({
  "pt-BR": {
    charge_paid: "Cobrança paga",
    charge_refunded: "Cobrança devolvida",
    charge_partially_refunded: "Parte da cobrança devolvida",
    charge_chargeback: "Cobrança contestada",
    charge_partial_chargeback: "Parte da cobrança contestada",
    reserve_released: "Reserva liberada",
    withdrawal_held: "Saque solicitado",
    withdrawal_settled: "Saque concluído",
    withdrawal_returned: "Saque não realizado, valor de volta",
    refund_held: "Devolução solicitada",
    refund_settled: "Devolução concluída",
    refund_returned: "Devolução não realizada, valor de volta",
    payment_credited: "Pagamento avulso creditado",
    payment_debited: "Pagamento avulso devolvido pelo banco",
    payout_debited: "Saque debitado depois de uma correção",
    payout_returned: "Saque devolvido pelo banco",
  },
  en: {
    charge_paid: "Charge paid",
    charge_refunded: "Charge refunded",
    charge_partially_refunded: "Part of a charge refunded",
    charge_chargeback: "Charge charged back",
    charge_partial_chargeback: "Part of a charge charged back",
    reserve_released: "Reserve released",
    withdrawal_held: "Withdrawal requested",
    withdrawal_settled: "Withdrawal completed",
    withdrawal_returned: "Withdrawal not made, money back",
    refund_held: "Refund requested",
    refund_settled: "Refund completed",
    refund_returned: "Refund not made, money back",
    payment_credited: "Separate payment credited",
    payment_debited: "Separate payment returned by the bank",
    payout_debited: "Withdrawal debited after a correction",
    payout_returned: "Withdrawal sent back by the bank",
  },
})

/** Why money moved, in words; a kind that this version does not know is shown as it is. */
export const kindText = (kind: string): string => kinds.value[kind] ?? kind

const buckets = textsOf<Words>({
  "pt-BR": {
    available: "Disponível",
    reserve: "Reserva",
    pending_withdraw: "Saque em andamento",
    pending_refund: "Devoluções em andamento",
    external: "Pagadores e bancos",
    fees: "Tarifas",
  },
  en: {
    available: "Available",
    reserve: "Reserve",
    pending_withdraw: "Withdrawal in progress",
    pending_refund: "Refunds in progress",
    external: "Payers and banks",
    fees: "Fees",
  },
})

/** Where money is, in words. */
export const bucketText = (bucket: string): string => buckets.value[bucket] ?? bucket
