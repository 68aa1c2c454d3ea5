/** An id's prefix and time, enough to tell a demo's ids apart. */
export const short = (id: string): string => `${id.slice(0, 14)}…`

/** Centavos in reais, as Brazil writes them. */
export const reais = (centavos: number): string =>
  (centavos / 100).toLocaleString("pt-BR", { style: "currency", currency: "BRL" }).replace("\u00a0", " ")
