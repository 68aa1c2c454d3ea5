import { formLimits } from "./formLimits.ts"

/**
 * Latin letters with their accents, digits, spaces between words, and what names of shops have besides. No parentheses: in them
 * payers read the approved name.
 */
const payerNamePattern = /^[\p{Script=Latin}\p{Nd}](?: ?[\p{Script=Latin}\p{Nd}.,&'’+!/@-])*$/u

/** Whether payers may be shown this name (docs/contract/sellers.md#brand). */
export const isPayerName = (text: string): boolean => {
  const name = text.normalize("NFC")
  return (
    name.length >= formLimits.payerNameLengthMin &&
    name.length <= formLimits.payerNameLengthMax &&
    payerNamePattern.test(name)
  )
}
