/** How API Pix writes amounts: reais and two digits of centavos (`\d{1,10}\.\d{2}`, BCB). */
export const decimalPattern = /^(\d{1,10})\.(\d{2})$/

/** A whole number of centavos as API Pix writes it: 12990 -> `129.90`. Integers all the way (decisions 3). */
export const decimalOf = (centavos: number): string => {
  const cents = centavos % 100
  const reais = (centavos - cents) / 100
  return `${reais}.${String(cents).padStart(2, "0")}`
}

/** The centavos of such a text: `129.90` -> 12990; undefined for any other text, signs and exponents included. */
export const centavosOf = (decimal: string): number | undefined => {
  const [, reais, cents] = decimalPattern.exec(decimal) ?? []
  return reais === undefined || cents === undefined ? undefined : Number(reais) * 100 + Number(cents)
}
