import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import type { PixKeyType } from "../../../schema/resources/pixKey.ts"
import { stripDocument } from "../../../schema/resources/transaction.ts"
import { foldAddress, maskedEmail } from "../../values/emailAddress.ts"
import { isTaxDocument } from "./taxDocument.ts"

const emailLengthMax = 77
/** DICT's form of an e-mail key, with two labels or more in the domain. */
const emailPattern =
  /^[a-z0-9.!#$'*+/=?^_`{|}~-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** A mobile number has nine digits, the first of them 9; a landline has eight, the first of them 2 to 5. */
const phonePattern = /^\+55(\d{2})(?:9\d{8}|[2-5]\d{7})$/
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The area codes of Brazil (docs/contract/pix-keys.md#values), by their first digit. */
const areaCodes = new Set(
  [
    ...["11 12 13 14 15 16 17 18 19", "21 22 24 27 28", "31 32 33 34 35 37 38"],
    ...["41 42 43 44 45 46 47 48 49", "51 53 54 55", "61 62 63 64 65 66 67 68 69"],
    ...["71 73 74 75 77 79", "81 82 83 84 85 86 87 88 89", "91 92 93 94 95 96 97 98 99"],
  ].flatMap((codes) => codes.split(" ")),
)

interface Form {
  readonly normalise: (text: string) => string
  /** What a value that no key of the directory can have must be instead; undefined for one that it can. */
  readonly mustBe: (value: string) => string | undefined
  readonly mask: (value: string) => string
}

const documentMustBe =
  (form: RegExp, wanted: string) =>
  (value: string): string | undefined => {
    if (!form.test(value)) return wanted
    return isTaxDocument(value) ? undefined : `${wanted}, with the right check digits`
  }

const phoneMustBe = (value: string): string | undefined => {
  const areaCode = phonePattern.exec(value)?.[1]
  if (areaCode === undefined) {
    return "a Brazilian phone number with +55, area code and 9 digits (mobile) or 8 (landline), such as +5511987654321"
  }
  return areaCodes.has(areaCode) ? undefined : "a phone number with an area code that Brazil has, such as 11"
}

const evpMustBe = (value: string): string | undefined => {
  if (!uuidPattern.test(value)) return "a random key in the form of a UUID"
  return /[1-9a-f]/.test(value) ? undefined : "a random key that your bank gave you, not zeros"
}

const stars = (count: number): string => "*".repeat(Math.max(0, count))

const forms: Readonly<Record<PixKeyType, Form>> = {
  cpf: {
    normalise: stripDocument,
    mustBe: documentMustBe(/^\d{11}$/, "a CPF of 11 digits"),
    mask: (value) => `***.${value.slice(3, 6)}.${value.slice(6, 9)}-**`,
  },
  cnpj: {
    normalise: stripDocument,
    mustBe: documentMustBe(/^[0-9A-Z]{12}\d{2}$/, "a CNPJ of 14 characters, the last two digits"),
    mask: (value) => `**.${value.slice(2, 5)}.${value.slice(5, 8)}/${value.slice(8, 12)}-**`,
  },
  email: {
    normalise: (text) => foldAddress(text.trim()),
    mustBe: (value) =>
      value.length <= emailLengthMax && emailPattern.test(value)
        ? undefined
        : `an e-mail address of at most ${emailLengthMax} characters, without accents and quotation marks`,
    mask: maskedEmail,
  },
  phone: {
    normalise: (text) => text.replace(/[\s().-]/g, ""),
    mustBe: phoneMustBe,
    mask: (value) => value.slice(0, 3) + stars(value.length - 7) + value.slice(-4),
  },
  evp: {
    normalise: (text) => text.trim().toLowerCase(),
    mustBe: evpMustBe,
    mask: (value) => `********-****-****-****-********${value.slice(-4)}`,
  },
}

/**
 * Normalizes a PIX key's value as banks write it; 400 `validation_failed` at `value` for one that no key of the Central Bank's
 * directory can have (docs/contract/pix-keys.md#values).
 */
export const pixKeyValue = (type: PixKeyType, text: string): string | ApiError<"validation_failed"> => {
  const form = forms[type]
  const value = form.normalise(text)
  const mustBe = form.mustBe(value)
  return mustBe === undefined ? value : validationFailed("value", `value must be ${mustBe}.`)
}

/** Masks a PIX key's value as normalized by `pixKeyValue`. */
export const maskedPixKeyValue = (type: PixKeyType, value: string): string => forms[type].mask(value)
