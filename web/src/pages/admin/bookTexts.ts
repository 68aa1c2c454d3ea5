import type { Bucket, LedgerKind } from "../../../../schema/names.ts"
import { textIn, textsOf } from "../../text/i18n.ts"

interface Texts {
  readonly buckets: Readonly<Record<Bucket, string>>
  readonly rows: Readonly<Record<LedgerKind | "opening" | "closing", string>>
}

/** Buckets and movements of the books in words. */
export const bookTexts = textsOf<Texts>({
  "pt-BR": {
    buckets: {
      available: "Disponível",
      reserve: "Reserva",
      pending_withdraw: "Em saque",
      pending_refund: "Em devolução",
      external: "Fora",
      fees: "Tarifas",
    },
    rows: {
      opening: "Abertura",
      closing: "Fechamento",
      charge_paid: "Cobranças pagas",
      charge_refunded: "Cobranças devolvidas",
      charge_partially_refunded: "Devoluções parciais",
      charge_chargeback: "Contestações",
      charge_partial_chargeback: "Contestações parciais",
      reserve_released: "Reserva liberada",
      withdrawal_held: "Saques pedidos",
      withdrawal_settled: "Saques pagos",
      withdrawal_returned: "Saques desfeitos",
      refund_held: "Devoluções pedidas",
      refund_settled: "Devoluções pagas",
      refund_returned: "Devoluções desfeitas",
      payment_credited: "Pix creditados",
      payment_debited: "Pix creditados e devolvidos",
      payout_debited: "Saques debitados",
      payout_returned: "Saques que voltaram",
    },
  },
  en: {
    buckets: {
      available: "Available",
      reserve: "Reserve",
      pending_withdraw: "In withdrawal",
      pending_refund: "In refund",
      external: "Outside",
      fees: "Fees",
    },
    rows: {
      opening: "Opening",
      closing: "Closing",
      charge_paid: "Charges paid",
      charge_refunded: "Charges refunded",
      charge_partially_refunded: "Partial refunds",
      charge_chargeback: "Chargebacks",
      charge_partial_chargeback: "Partial chargebacks",
      reserve_released: "Reserve released",
      withdrawal_held: "Withdrawals requested",
      withdrawal_settled: "Withdrawals paid",
      withdrawal_returned: "Withdrawals undone",
      refund_held: "Refunds requested",
      refund_settled: "Refunds paid",
      refund_returned: "Refunds undone",
      payment_credited: "Pix credited",
      payment_debited: "Credited Pix taken back",
      payout_debited: "Payouts debited",
      payout_returned: "Payouts that came back",
    },
  },
})

/** A row of the books in words; a kind that this version does not know is shown as it is. */
export const rowText = (name: string): string => textIn(bookTexts.value.rows, name)
