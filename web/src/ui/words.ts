import { formLimits } from "../../../schema/formLimits.ts"

/** A text as the API takes words: those that are too many are left out. Undefined without any. */
export const wordsIn = (text: string): string | undefined => {
  const words = text.trim().split(/\s+/).slice(0, formLimits.searchWordsMax).join(" ")
  return words === "" ? undefined : [...words].slice(0, formLimits.searchLengthMax).join("")
}
