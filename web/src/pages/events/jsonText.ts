/** Marks that change the direction of the text around them, or that no one can see. */
const hiddenMarks = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** A value as indented JSON, with marks that would disorder or hide its text written as `\uXXXX`. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    hiddenMarks,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
