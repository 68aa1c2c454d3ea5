import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import type { PixKeyType } from "../../../schema/resources/pixKey.ts"
import { emailPattern, stripDocument } from "../../../schema/resources/transaction.ts"

/** DICT: an e-mail key has at most 77 characters. */
const emailLengthMax = 77
/** E.164: 11 to 15 digits, the country code among them. */
const phonePattern = /^\+[1-9]\d{10,14}$/
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Form {
  readonly normalise: (text: string) => string
  readonly isFine: (value: string) => boolean
  readonly mustBe: string
  readonly mask: (value: string) => string
}

const stars = (count: number): string => "*".repeat(Math.max(0, count))

const maskedEmail = (value: string): string => {
  const domain = value.slice(value.lastIndexOf("@"))
  const masked = `${[...value][0] ?? ""}***${domain}`
  // An address may have stars of its own, and masking would show all of it.
  return masked.includes(value) ? `...${domain}` : masked
}

const forms: Readonly<Record<PixKeyType, Form>> = {
  cpf: {
    normalise: stripDocument,
    isFine: (value) => /^\d{11}$/.test(value),
    mustBe: "a CPF of 11 digits",
    mask: (value) => `***.${value.slice(3, 6)}.${value.slice(6, 9)}-**`,
  },
  cnpj: {
    normalise: stripDocument,
    isFine: (value) => /^[0-9A-Z]{12}\d{2}$/.test(value),
    mustBe: "a CNPJ of 14 characters, the last two digits",
    mask: (value) => `**.${value.slice(2, 5)}.${value.slice(5, 8)}/${value.slice(8, 12)}-**`,
  },
  email: {
    normalise: (text) => text.trim().toLowerCase(),
    isFine: (value) => value.length <= emailLengthMax && emailPattern.test(value),
    mustBe: `an e-mail address of at most ${emailLengthMax} characters`,
    mask: maskedEmail,
  },
  phone: {
    normalise: (text) => text.replace(/[\s().-]/g, ""),
    isFine: (value) => phonePattern.test(value),
    mustBe: "a phone number with its country code, such as +5511987654321",
    mask: (value) => value.slice(0, 3) + stars(value.length - 7) + value.slice(-4),
  },
  evp: {
    normalise: (text) => text.trim().toLowerCase(),
    isFine: (value) => uuidPattern.test(value),
    mustBe: "a random key in the form of a UUID",
    mask: (value) => `********-****-****-****-********${value.slice(-4)}`,
  },
}

/** Normalizes a PIX key's value as banks write it, or 400 `validation_failed` at `value`. */
export const pixKeyValue = (type: PixKeyType, text: string): string | ApiError => {
  const form = forms[type]
  const value = form.normalise(text)
  return form.isFine(value) ? value : validationFailed("value", `value must be ${form.mustBe}.`)
}

/** Masks a PIX key's value as normalized by `pixKeyValue`. */
export const maskedPixKeyValue = (type: PixKeyType, value: string): string => forms[type].mask(value)
