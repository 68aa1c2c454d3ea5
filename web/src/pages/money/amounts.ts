/** What a withdrawal of `amount` centavos takes from the balance, and what is left of it. */
export const costOf = (
  amount: number,
  fee: number,
  available: number,
): { readonly total: number; readonly left: number } => ({
  total: amount + fee,
  left: available - amount - fee,
})

/** The most centavos that can be withdrawn: the fee comes on top. */
export const withdrawableOf = (available: number, fee: number): number => Math.max(0, available - fee)

/** Centavos as people type them in an input: `1234,56`. */
export const typedAmount = (centavos: number): string =>
  `${Math.trunc(centavos / 100)},${String(centavos % 100).padStart(2, "0")}`
