import { Schema } from "effect"

/**
 * What no text of a person's holds: control characters (C0, DEL, C1; a NUL cuts strings short elsewhere, an escape writes
 * on an operator's terminal), halves of a surrogate pair, which no UTF-8 can carry, and the overrides, embeddings and
 * isolates of bidirectional text, by which one text can be shown as another. A line has no line and paragraph
 * separators either; where line feeds are taken they do no more harm than those.
 */
const notOfText = "\\p{Cs}\\u202a-\\u202e\\u2066-\\u2069"
const notOfLine = new RegExp(`[\\p{Cc}\\u2028\\u2029${notOfText}]`, "u")
const notOfLines = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${notOfText}]`, "u")

/** Whether a text is one line that shows what it says. */
export const isLine = (text: string): boolean => !notOfLine.test(text)

/** Refuses what is no line of text. */
export const isLineCheck = Schema.makeFilter(
  (text: string) => isLine(text) || "text without control characters",
)

/** One line of text of `minimum` to `maximum` characters: names, descriptions, reasons. */
export const lineOf = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isBetweenCodePoints(minimum, maximum), isLineCheck)

/** Text of at most `maximum` characters that may have line breaks and tabs, and no other control characters. */
export const linesOf = (maximum: number) =>
  Schema.String.check(
    Schema.isMaxCodePoints(maximum),
    Schema.makeFilter(
      (text: string) => !notOfLines.test(text) || "text without control characters but line feeds and tabs",
    ),
  )
