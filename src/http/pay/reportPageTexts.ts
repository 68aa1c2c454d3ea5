import type { Language } from "../server/language.ts"

interface Said {
  readonly heading: string
  readonly sentence: string
}

/** The words of the pages that the links of mailed reports lead to. */
export interface ReportPageTexts {
  readonly noFile: Said
  readonly tooMany: Said
  readonly end: Said & { readonly button: string }
  readonly ended: Said
  readonly nothingToEnd: Said
}

/** Those words by language. */
export const reportPageTexts: Readonly<Record<Language, ReportPageTexts>> = {
  "pt-BR": {
    noFile: {
      heading: "Este link não vale mais",
      sentence:
        "Links de relatórios valem por 7 dias. Confira se ele está completo, ou peça o arquivo à loja.",
    },
    tooMany: {
      heading: "Muitos downloads seguidos",
      sentence: "Espere um minuto e abra o link de novo.",
    },
    end: {
      heading: "Parar de receber este relatório?",
      sentence:
        "Ele deixa de ser enviado ao seu e-mail. Os links que você já recebeu continuam valendo até o prazo deles.",
      button: "Não quero mais receber",
    },
    ended: { heading: "Pronto", sentence: "Este relatório não será mais enviado ao seu e-mail." },
    nothingToEnd: {
      heading: "Não há o que cancelar",
      sentence:
        "Este relatório não é enviado ao seu e-mail. Se você já cancelou, não precisa fazer mais nada.",
    },
  },
  en: {
    noFile: {
      heading: "This link no longer works",
      sentence:
        "Links to reports work for 7 days. Check that you copied all of it, or ask the shop for the file.",
    },
    tooMany: {
      heading: "Too many downloads in a row",
      sentence: "Wait a minute and open the link again.",
    },
    end: {
      heading: "Stop receiving this report?",
      sentence: "We will stop sending it to you. Links you already have keep working until they expire.",
      button: "Unsubscribe",
    },
    ended: { heading: "Done", sentence: "You will not receive this report any more." },
    nothingToEnd: {
      heading: "You are not subscribed",
      sentence:
        "This report is not sent to you. If you have already unsubscribed, there is nothing more to do.",
    },
  },
}
