import { textsOf } from "../../text/i18n.ts"
import type { AmountEnding } from "./rules.ts"

/** What the endings of amounts do in test mode, in words. */
export const endingTexts = textsOf<Readonly<Record<AmountEnding, string>>>({
  "pt-BR": {
    paid: "No teste, é paga sozinha em poucos segundos.",
    never_paid: "Termina em 01: no teste, nunca é paga e expira.",
    fails: "Termina em 02: no teste, falha poucos segundos depois.",
    refused: "Termina em 03: no teste, a criação é recusada.",
    refunded: "Termina em 04: no teste, é paga e depois devolvida.",
    charged_back: "Termina em 05: no teste, é paga e depois contestada.",
  },
  en: {
    paid: "In test mode it is paid by itself within a few seconds.",
    never_paid: "Ends in 01: in test mode it is never paid, and expires.",
    fails: "Ends in 02: in test mode it fails a few seconds later.",
    refused: "Ends in 03: in test mode its creation is refused.",
    refunded: "Ends in 04: in test mode it is paid, then refunded.",
    charged_back: "Ends in 05: in test mode it is paid, then charged back.",
  },
})
