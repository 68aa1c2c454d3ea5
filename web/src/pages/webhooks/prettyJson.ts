/** Characters that change how the text around them is shown: controls, and marks of direction. */
const hidden = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/**
 * JSON over several lines, still the same JSON: characters that would be invisible, or turn the text around them, are written as
 * escapes.
 */
export const prettyJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    hidden,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
