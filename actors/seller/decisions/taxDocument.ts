/** Weights of a CNPJ's two check digits (Receita Federal); a character counts as its code minus that of `0`. */
const cnpjWeights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]

const checkDigit = (text: string, weights: ReadonlyArray<number>): number => {
  let sum = 0
  for (let i = 0; i < text.length; i++) sum += (text.charCodeAt(i) - 48) * (weights[i] ?? 0)
  const rest = sum % 11
  return rest < 2 ? 0 : 11 - rest
}

const descending = (from: number): ReadonlyArray<number> =>
  Array.from({ length: from - 1 }, (_, i) => from - i)

const hasCheckDigits = (
  text: string,
  first: ReadonlyArray<number>,
  second: ReadonlyArray<number>,
): boolean => {
  const base = text.slice(0, -2)
  const a = checkDigit(base, first)
  const b = checkDigit(base + a, second)
  return text.endsWith(`${a}${b}`)
}

/** Whether a bare CPF or alphanumeric CNPJ has valid check digits (docs/contract/transactions.md#customer-document). */
export const isTaxDocument = (document: string): boolean => {
  if (/^(.)\1*$/.test(document)) return false
  return document.length === 11
    ? hasCheckDigits(document, descending(10), descending(11))
    : hasCheckDigits(document, cnpjWeights.slice(1), cnpjWeights)
}
