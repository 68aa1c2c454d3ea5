import { escapeHtml } from "../../../src/http/docs/html.ts"

/** Complete HTML. Only {@link html} makes it, so no text gets into a page unescaped. */
export interface Html {
  readonly markup: string
}

/** What a template accepts: text and numbers are escaped, HTML and lists of HTML are inserted unchanged. */
export type Content = string | number | Html | ReadonlyArray<Html>

/** Control characters are invalid in HTML and SVG, and invisible. */
const unprintable = /[\p{Cc}\p{Cs}]/gu

const markupOf = (content: Content): string => {
  if (typeof content === "number") return String(content)
  if (typeof content === "string") return escapeHtml(content.replaceAll(unprintable, " "))
  return "markup" in content ? content.markup : content.map(({ markup }) => markup).join("\n")
}

/** Builds HTML from a template. Values are escaped for text and quoted attributes. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Content>): Html => ({
  markup: parts
    .map((part, index) => (index === 0 ? part : `${markupOf(values[index - 1] ?? "")}${part}`))
    .join(""),
})

/** Empty HTML. */
export const nothing: Html = { markup: "" }
