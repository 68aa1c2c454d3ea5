/** Control and direction characters: in a terminal or a log they would act, and not be shown. */
const acting = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** A text with nothing in it that a terminal would obey: `\u001b` instead of an escape. */
export const inert = (text: string): string =>
  text.replace(acting, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The same for each line of a text. */
export const inertLines = (text: string): string => text.split("\n").map(inert).join("\n")
