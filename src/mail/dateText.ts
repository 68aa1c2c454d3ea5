const atFormat = new Intl.DateTimeFormat("pt-BR", {
  timeZone: "America/Sao_Paulo",
  dateStyle: "short",
  timeStyle: "medium",
})

/** A time in mails: `21/11/2026, 10:00:00 (horário de Brasília)`. */
export const timeText = (millis: number): string => `${atFormat.format(millis)} (horário de Brasília)`
