const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** The seconds of `90s`, `15m`, `2h`, `1d` or a sum like `1d12h`; undefined for any other text, and for none at all. */
export const parseSeconds = (text: string): number | undefined => {
  if (!/^(?:\d{1,9}[smhd])+$/.test(text)) return undefined
  const seconds = [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (unitSeconds[unit] ?? 0),
    0,
  )
  return seconds > 0 ? seconds : undefined
}
