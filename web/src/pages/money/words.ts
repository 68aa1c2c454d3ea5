import { ledgerWords } from "../../../../schema/ledgerWords.ts"
import type { Bucket } from "../../../../schema/names.ts"
import { textIn, textsOf } from "../../text/i18n.ts"

const kinds = textsOf(ledgerWords)

/** Why money moved, in words; a kind that this version does not know is shown as it is. */
export const kindText = (kind: string): string => textIn(kinds.value, kind)

const buckets = textsOf<Readonly<Record<Bucket, string>>>({
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
export const bucketText = (bucket: string): string => textIn(buckets.value, bucket)
