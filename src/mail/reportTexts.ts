import type { CsvLocale } from "../../schema/csv.ts"
import type { ReportKind } from "../../schema/names.ts"

/** A mail with a report, as it is written: its links stand at the end of lines. */
export interface ReportNews {
  readonly kind: ReportKind
  readonly isTest: boolean
  /** Whose report it is. */
  readonly shop: string
  /** Days, `2026-11-21`. */
  readonly from: string
  readonly to: string
  readonly fileLink: string
  readonly endLink: string
  readonly linkEndsMillis: number
}

const names: Readonly<Record<CsvLocale, Readonly<Record<ReportKind, string>>>> = {
  "pt-BR": { transactions: "Cobranças", refunds: "Devoluções", withdrawals: "Saques", statement: "Extrato" },
  en: { transactions: "Charges", refunds: "Refunds", withdrawals: "Withdrawals", statement: "Statement" },
}

const timeFormats = {
  "pt-BR": new Intl.DateTimeFormat("pt-BR", {
    timeZone: "America/Sao_Paulo",
    dateStyle: "short",
    timeStyle: "short",
  }),
  en: new Intl.DateTimeFormat("en-GB", {
    timeZone: "America/Sao_Paulo",
    dateStyle: "medium",
    timeStyle: "short",
  }),
}

const dayText = (day: string, locale: CsvLocale): string =>
  locale === "en" ? day : day.split("-").toReversed().join("/")

const daysText = ({ from, to }: ReportNews, locale: CsvLocale): string => {
  const [first, last] = [dayText(from, locale), dayText(to, locale)]
  if (from === to) return first
  return locale === "en" ? `${first} to ${last}` : `${first} a ${last}`
}

/** A name that somebody typed, on one line. */
const onLine = (name: string): string => name.replace(/\s+/g, " ").trim()

/** The mail with a report (docs/contract/reports.md#mails). */
export const reportText = (
  news: ReportNews,
  locale: CsvLocale,
): { readonly subject: string; readonly text: string } => {
  const [name, days, shop] = [names[locale][news.kind], daysText(news, locale), onLine(news.shop)]
  const ends = timeFormats[locale].format(news.linkEndsMillis)
  if (locale === "en") {
    const lines = [
      ...(news.isTest ? ["TEST MODE: no real money is involved.", ""] : []),
      `${name} of ${shop}, ${days}.`,
      "",
      `Download: ${news.fileLink}`,
      `The link works until ${ends} (Brasília time). Anyone who has it can download the file, so do not forward it.`,
      "",
      `You receive this report because ${shop} added your address.`,
      `Unsubscribe: ${news.endLink}`,
    ]
    return { subject: `${name}: ${shop}, ${days}`, text: [...lines, "", "Corrente"].join("\n") }
  }
  const lines = [
    ...(news.isTest ? ["MODO DE TESTE: nada aqui é dinheiro de verdade.", ""] : []),
    `${name} de ${shop}, ${days}.`,
    "",
    `Baixar: ${news.fileLink}`,
    `O link funciona até ${ends} (horário de Brasília). Quem tem o link baixa o arquivo: não o encaminhe a outras pessoas.`,
    "",
    `Você recebe este relatório porque ${shop} cadastrou o seu e-mail.`,
    `Para não receber mais: ${news.endLink}`,
  ]
  return { subject: `${name}: ${shop}, ${days}`, text: [...lines, "", "Corrente"].join("\n") }
}
