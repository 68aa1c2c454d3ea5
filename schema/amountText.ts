/**
 * Centavos of an amount as people type it: `12,90`, `12.90`, `1.234,56`, `R$ 12`; undefined where it is none. The last comma or
 * dot followed by one or two digits separates the centavos.
 */
export const parseAmount = (text: string): number | undefined => {
  const match = /^(?<whole>\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,](?<cents>\d{1,2}))?$/.exec(
    text.replace(/R\$|\s/g, ""),
  )
  if (match?.groups?.whole === undefined) return undefined
  const whole = Number(match.groups.whole.replace(/[.,]/g, ""))
  const cents = Number((match.groups.cents ?? "").padEnd(2, "0"))
  const centavos = whole * 100 + cents
  return Number.isSafeInteger(centavos) ? centavos : undefined
}
