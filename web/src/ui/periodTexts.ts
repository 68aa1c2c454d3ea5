import { textsOf } from "../text/i18n.ts"
import type { PeriodName } from "./period.ts"

/** What the periods of lists are called. */
export const periodTexts = textsOf<Readonly<Record<PeriodName, string>>>({
  "pt-BR": {
    all: "Qualquer data",
    today: "Hoje",
    "7d": "Últimos 7 dias",
    "30d": "Últimos 30 dias",
    month: "Este mês",
    lastMonth: "Mês passado",
    custom: "Escolher datas",
  },
  en: {
    all: "Any date",
    today: "Today",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
    month: "This month",
    lastMonth: "Last month",
    custom: "Choose dates",
  },
})
