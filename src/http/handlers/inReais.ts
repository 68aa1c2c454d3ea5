/** Centavos as `1234.56`, or `-1234.56`. */
export const inReais = (centavos: number): string => {
  const digits = String(Math.abs(centavos)).padStart(3, "0")
  return `${centavos < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
