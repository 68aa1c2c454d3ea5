import { escapeHtml } from "../../../src/http/docs/html.ts"

/** HTML that is complete as it is. Made by {@link html} alone, so that no text gets into a page unescaped. */
export interface Html {
  readonly markup: string
}

/** What may stand in a template: text and numbers are escaped, HTML and lists of it stand as they are. */
export type Content = string | number | Html | ReadonlyArray<Html>

/** Neither HTML nor SVG can have control characters; nobody would see them either. */
const unprintable = /[\p{Cc}\p{Cs}]/gu

const markupOf = (content: Content): string => {
  if (typeof content === "number") return String(content)
  if (typeof content === "string") return escapeHtml(content.replaceAll(unprintable, " "))
  return "markup" in content ? content.markup : content.map(({ markup }) => markup).join("\n")
}

/** HTML of a template. Values are escaped for text and for attributes between quotation marks. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Content>): Html => ({
  markup: parts
    .map((part, index) => (index === 0 ? part : `${markupOf(values[index - 1] ?? "")}${part}`))
    .join(""),
})

/** Nothing. */
export const nothing: Html = { markup: "" }
