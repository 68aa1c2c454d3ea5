const grouped = (digits: string): string => digits.replace(/\B(?=(?:\d{3})+$)/g, ".")

/** Centavos as people type an amount: `1.234,56`. */
export const formatAmountInput = (centavos: number): string =>
  `${grouped(String(Math.trunc(centavos / 100)))},${String(centavos % 100).padStart(2, "0")}`

/**
 * An amount as it stands in its field after a key was pressed: `1047` is `1.047`, and a dot typed at the end begins the centavos. What
 * can be no amount stays as it is, for the form to refuse. `isDeletion`: the key took something away, so that a dot at the end is what is
 * left of a thousand.
 */
export const amountWhileTyping = (text: string, isDeletion: boolean): string => {
  const bare = text.replace(/R\$|\s/g, "")
  if (!/^[\d.,]*$/.test(bare)) return text
  const [whole = "", ...cents] = (isDeletion ? bare : bare.replace(/\.$/, ",")).split(",")
  const digits = whole.replace(/\D/g, "").replace(/^0+(?=\d)/, "")
  if (cents.length === 0) return grouped(digits)
  return `${grouped(digits || "0")},${cents.join("").replace(/\D/g, "").slice(0, 2)}`
}

/** Where the caret stands in an amount that was formatted: as many digits and commas follow it as before. */
export const caretAfter = (before: string, caret: number, after: string): number => {
  const following = (text: string) => text.replace(/[^\d,]/g, "").length
  const wanted = following(before.slice(caret))
  let place = after.length
  while (place > 0 && following(after.slice(place - 1)) <= wanted) place -= 1
  return place
}
