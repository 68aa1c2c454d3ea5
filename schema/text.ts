import { Schema } from "effect"

/**
 * Characters that text from people must not contain: control characters (C0, DEL, C1; a NUL truncates strings
 * elsewhere, an escape writes to an operator's terminal), lone surrogates, which UTF-8 cannot encode, and
 * bidirectional overrides, embeddings and isolates, which make one text look like another. Single lines also exclude
 * line and paragraph separators; text with line feeds may have them, as they do no more harm.
 */
const notOfText = "\\p{Cs}\\u202a-\\u202e\\u2066-\\u2069"
const notOfLine = new RegExp(`[\\p{Cc}\\u2028\\u2029${notOfText}]`, "u")
const notOfLines = new RegExp(
  `[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f${notOfText}]`,
  "u",
)

/** Whether a text is a single line that displays as written. */
export const isLine = (text: string): boolean => !notOfLine.test(text)

/** Rejects text that is not a single clean line. */
export const isLineCheck = Schema.makeFilter(
  (text: string) => isLine(text) || "text without control characters",
)

/** A line of `minimum` to `maximum` characters: names, descriptions, reasons. */
export const lineOf = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isBetweenCodePoints(minimum, maximum), isLineCheck)

/** Text of at most `maximum` characters; line breaks (LF, or CR LF as HTML forms send them) and tabs are its only control characters. */
export const linesOf = (maximum: number) =>
  Schema.String.check(
    Schema.isMaxCodePoints(maximum),
    Schema.makeFilter(
      (text: string) =>
        !notOfLines.test(text) || "text whose only control characters are line breaks and tabs",
    ),
  )
