/** Languages of pages outside the dashboard, as BCP 47 tags. */
export type Language = "pt-BR" | "en"

/** A language range with its weight, as `Accept-Language` lists them (RFC 9110, section 12.5.4). */
const rangesOf = (accepted: string) =>
  accepted.split(",").map((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    const weight = parameters.find((text) => text.startsWith("q="))?.slice(2)
    return { language: range.split("-")[0] ?? "", weight: weight === undefined ? 1 : Number(weight) }
  })

/** The language that a browser prefers of those that we have: Portuguese unless it ranks English higher. */
export const languageOf = (acceptLanguage: string): Language => {
  const ranges = rangesOf(acceptLanguage)
  const weightOf = (language: string): number =>
    ranges.reduce(
      (best, range) => (range.language === language && range.weight > best ? range.weight : best),
      0,
    )
  return weightOf("en") > weightOf("pt") ? "en" : "pt-BR"
}
