/** How API Pix writes amounts: reais and two digits of centavos (`\d{1,10}\.\d{2}`, BCB). */
export const decimalPattern = /^(\d{1,10})\.(\d{2})$/

/** Centavos as API Pix writes them: 12990 -> `129.90`, by integer arithmetic. */
export const decimalOf = (centavos: number): string => {
  const cents = centavos % 100
  const reais = (centavos - cents) / 100
  return `${reais}.${String(cents).padStart(2, "0")}`
}

/** The centavos of a decimal: `129.90` -> 12990; undefined for any other text, including signs and exponents. */
export const centavosOf = (decimal: string): number | undefined => {
  const [, reais, cents] = decimalPattern.exec(decimal) ?? []
  return reais === undefined || cents === undefined ? undefined : Number(reais) * 100 + Number(cents)
}
