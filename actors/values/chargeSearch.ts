import { transactionIdOfTxid } from "../../schema/ids.ts"
import { stripDocument, type Transaction } from "../../schema/resources/transaction.ts"
import { emailOfCharge, erasedEmail } from "./chargeLookups.ts"
import { wordsOf } from "./sellerLookups.ts"

// Charges are searched by words: each must be the beginning of a word of the payer's name or of the reference, of the address, of the
// reference, or of at least six digits of the document, or be an id (docs/contract/transactions.md#search). The index has all of
// these but documents, in the clear as the charge has them, and each cut: charges that it leads to are looked at.

/** Characters of a term in the index: few charges share more. */
const termLengthMax = 32

const fold = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

const cut = (text: string): string => [...text].slice(0, termLengthMax).join("")

/** What a charge is found by, without accents and in lower case. */
const textsOf = (
  name: string,
  email: string | undefined,
  reference: string | null | undefined,
): ReadonlyArray<string> => {
  const ofReference = reference ? [...fold(reference).trim().split(/\s+/), ...wordsOf(reference)] : []
  const isErased = email === undefined || email === erasedEmail
  return isErased ? ofReference : [...wordsOf(name), fold(email), ...ofReference]
}

const textIn = (document: string, pattern: RegExp): string => {
  const found = pattern.exec(document)?.[1]
  return found === undefined ? "" : String(JSON.parse(found))
}

/**
 * The terms `w:<text>` of a stored charge in the index. Every new charge comes by here, and to search a text takes a tenth of parsing
 * it: quotes in texts are escaped, and only the object `customer` is followed by a reference.
 */
export const searchTermsOf = (document: string): ReadonlyArray<string> => {
  const name = textIn(document, /"customer":\{"name":("(?:[^"\\]|\\.)*")/)
  const reference = textIn(document, /\},"reference":("(?:[^"\\]|\\.)*")/)
  const texts = textsOf(name, emailOfCharge(document), reference)
  return [...new Set(texts.map((text) => `w:${cut(text)}`))]
}

/** A word that is searched for. */
export interface SearchWord {
  readonly text: string
  readonly folded: string
  /** Its parts between punctuation, where it has several: "souza-lima" is found in "Souza Lima". */
  readonly parts: ReadonlyArray<string>
  /** What it would be of a document; undefined where it cannot be of one. */
  readonly documentPrefix: string | undefined
}

const wordOf = (text: string): SearchWord => {
  const parts = text.includes("@") ? [] : wordsOf(text)
  const stripped = stripDocument(text)
  const isOfDocument = /^\d{6,14}$/.test(stripped) || /^[0-9A-Z]{12}\d{2}$/.test(stripped)
  return {
    text,
    folded: fold(text),
    parts: parts.length > 1 ? parts : [],
    documentPrefix: isOfDocument ? stripped : undefined,
  }
}

/** The words of a search. */
export const searchWordsOf = (q: string): ReadonlyArray<SearchWord> => q.trim().split(/\s+/).map(wordOf)

const endToEndIdPattern = /^E[0-9A-Za-z]{31}$/

/** Where the index has a word: under beginnings of terms, or under an end-to-end id. */
export type IndexedPlaces =
  | { readonly kind: "prefixes"; readonly prefixes: ReadonlyArray<string> }
  | { readonly kind: "end_to_end_id"; readonly value: string }

/** The same, or the one charge that an id names. */
type WordPlaces = IndexedPlaces | { readonly kind: "charge"; readonly id: string }

/** Where all charges with a word are found; undefined where the index does not tell: a document is not in it. */
export const placesOf = ({ text, folded, parts, documentPrefix }: SearchWord): WordPlaces | undefined => {
  if (/^txn_[0-9A-Z]{26}$/.test(text)) return { kind: "charge", id: text }
  const id = transactionIdOfTxid(text)
  if (id !== undefined) return { kind: "charge", id }
  if (endToEndIdPattern.test(text)) return { kind: "end_to_end_id", value: text }
  if (documentPrefix !== undefined) return undefined
  const longest = parts.toSorted((one, other) => other.length - one.length).slice(0, 1)
  return { kind: "prefixes", prefixes: [folded, ...longest].map((one) => `w:${cut(one)}`) }
}

/** Makes the test whether a charge has all words. `documentOf` opens the customer's document; it is asked only where a word may be one. */
export const searchMatcher = (
  words: ReadonlyArray<SearchWord>,
  documentOf: (charge: Transaction) => string | undefined,
): ((charge: Transaction) => boolean) => {
  const asksDocument = words.some(({ documentPrefix }) => documentPrefix !== undefined)
  return (charge) => {
    const { name, email } = charge.customer
    const texts = textsOf(name, email, charge.reference)
    const document = asksDocument && email !== erasedEmail ? documentOf(charge) : undefined
    const ids = [charge.id, charge.pix.txid, charge.end_to_end_id]
    const isIn = (prefix: string) => texts.some((text) => text.startsWith(prefix))
    return words.every(
      ({ text, folded, parts, documentPrefix }) =>
        isIn(folded) ||
        (parts.length > 0 && parts.every(isIn)) ||
        (documentPrefix !== undefined && document?.startsWith(documentPrefix) === true) ||
        ids.includes(text),
    )
  }
}
