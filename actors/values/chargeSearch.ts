import { orderOf } from "../../schema/chargeTexts.ts"
import { transactionIdOfTxid } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { stripDocument, type Transaction } from "../../schema/resources/transaction.ts"
import { emailOfCharge, erasedEmail } from "./chargeLookups.ts"
import { wordsOf } from "./sellerLookups.ts"

// Charges are searched by words (docs/contract/transactions.md#search). Each must be an id, the beginning of a word of the payer's name
// or of the reference, of the address, of the reference or what stands in for it, of at least the first six digits of the document, or
// the six digits in the middle of a CPF. The index has all of these but documents, in the clear as the charge has them, and each cut:
// charges that it leads to are looked at.

/** Characters of a term in the index: few charges share more. */
const termLengthMax = 32

const fold = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()

const cut = (text: string): string => [...text].slice(0, termLengthMax).join("")

const blankSeparated = (text: string): ReadonlyArray<string> =>
  fold(text)
    .split(/\s+/)
    .filter((word) => word !== "")

/**
 * What the order of a charge is found by, in lower case: its reference and the words of it. A number that only `metadata` has is found
 * as it is written, mostly by a single term: it may be any text of the shop's.
 */
const textsOfOrder = ({ reference, metadata }: Pick<Transaction, "reference" | "metadata">) =>
  reference
    ? [...blankSeparated(reference), ...wordsOf(reference)]
    : blankSeparated(orderOf({ reference: null, metadata })).slice(0, limits.searchWordsMax)

/** What a charge is found by, without accents and in lower case. */
const textsOf = (
  name: string,
  email: string | undefined,
  ofOrder: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const isErased = email === undefined || email === erasedEmail
  return isErased ? ofOrder : [...wordsOf(name), fold(email), ...ofOrder]
}

/** The term of a text without spaces. */
export const termOfText = (text: string): string => `w:${cut(fold(text))}`

const textIn = (document: string, pattern: RegExp): string => {
  const found = pattern.exec(document)?.[1]
  return found === undefined ? "" : String(JSON.parse(found))
}

/** The `metadata` of a stored charge. Its values are no objects, and text that looks like its beginning has escaped quotes. */
const metadataIn = (document: string): Transaction["metadata"] => {
  const found = /"metadata":(\{(?=")(?:[^"{}]|"(?:[^"\\]|\\.)*")*\})/.exec(document)?.[1]
  return found === undefined ? {} : JSON.parse(found)
}

/**
 * The terms `w:<text>` of a stored charge in the index. Every new charge comes by here, and to search a text takes a tenth of parsing
 * it: quotes in texts are escaped, and only the object `customer` is followed by a reference.
 */
export const searchTermsOf = (document: string): ReadonlyArray<string> => {
  const name = textIn(document, /"customer":\{"name":("(?:[^"\\]|\\.)*")/)
  const reference = textIn(document, /\},"reference":("(?:[^"\\]|\\.)*")/)
  const metadata = reference === "" ? metadataIn(document) : {}
  const texts = textsOf(name, emailOfCharge(document), textsOfOrder({ reference, metadata }))
  return [...new Set(texts.map((text) => `w:${cut(text)}`))]
}

/** A word that is searched for. */
export interface SearchWord {
  readonly text: string
  readonly folded: string
  /** What is between its punctuation, where it has some: "souza-lima" is found in "Souza Lima", and "m." in "Carla M.". */
  readonly parts: ReadonlyArray<string>
  /** What it would be of a document, its beginning or the middle of a CPF; undefined where it cannot be of one. */
  readonly documentPart: string | undefined
}

const wordOf = (text: string): SearchWord => {
  const folded = fold(text)
  const parts = text.includes("@") ? [] : wordsOf(text)
  // Pages show a CPF as `***.456.789-**`, which is searched for as it is copied.
  const stripped = stripDocument(text.replaceAll("*", ""))
  const isOfDocument = /^\d{6,14}$/.test(stripped) || /^[0-9A-Z]{12}\d{2}$/.test(stripped)
  return {
    text,
    folded,
    parts: parts.length === 1 && parts[0] === folded ? [] : parts,
    documentPart: isOfDocument ? stripped : undefined,
  }
}

/** The words of a search. Punctuation by itself, as in "Souza & Lima", is none unless nothing else is searched for. */
export const searchWordsOf = (q: string): ReadonlyArray<SearchWord> => {
  const texts = q.trim().split(/\s+/)
  const words = texts.filter((text) => /[\p{L}\p{N}]/u.test(text))
  return (words.length > 0 ? words : texts).map(wordOf)
}

const endToEndIdPattern = /^E[0-9A-Za-z]{31}$/

/** Where the index has a word: under beginnings of terms, or under an end-to-end id. */
export type IndexedPlaces =
  | { readonly kind: "prefixes"; readonly prefixes: ReadonlyArray<string> }
  | { readonly kind: "end_to_end_id"; readonly value: string }

/** The same, or the one charge that an id names. */
type WordPlaces = IndexedPlaces | { readonly kind: "charge"; readonly id: string }

/** Where all charges with a word are found; undefined where the index does not tell: a document is not in it. */
export const placesOf = ({ text, folded, parts, documentPart }: SearchWord): WordPlaces | undefined => {
  if (/^txn_[0-9A-Z]{26}$/.test(text)) return { kind: "charge", id: text }
  const id = transactionIdOfTxid(text)
  if (id !== undefined) return { kind: "charge", id }
  if (endToEndIdPattern.test(text)) return { kind: "end_to_end_id", value: text }
  if (documentPart !== undefined) return undefined
  const longest = parts.toSorted((one, other) => other.length - one.length).slice(0, 1)
  return { kind: "prefixes", prefixes: [folded, ...longest].map((one) => `w:${cut(one)}`) }
}

/** The document that a word is as a whole, CPF or CNPJ; undefined where it is none, or a beginning. */
export const wholeDocumentOf = ({ documentPart }: SearchWord): string | undefined =>
  documentPart !== undefined && (documentPart.length === 11 || documentPart.length === 14)
    ? documentPart
    : undefined

/** Whether a document begins so, or is a CPF whose six digits in the middle, which pages and receipts show, are these. */
const fitsDocument = (document: string, digits: string): boolean =>
  document.startsWith(digits) || (document.length === 11 && document.slice(3, 9) === digits)

/**
 * Makes the test whether a charge has all words. With `onlyCustomer` they must be its customer's, and neither of its order nor ids.
 * `documentOf` opens the customer's document; it is asked only where a word may be one.
 */
export const searchMatcher = (
  words: ReadonlyArray<SearchWord>,
  documentOf: (charge: Transaction) => string | undefined,
  onlyCustomer = false,
): ((charge: Transaction) => boolean) => {
  const asksDocument = words.some(({ documentPart }) => documentPart !== undefined)
  return (charge) => {
    const { name, email } = charge.customer
    const texts = textsOf(name, email, onlyCustomer ? [] : textsOfOrder(charge))
    const document = asksDocument && email !== erasedEmail ? documentOf(charge) : undefined
    const ids = onlyCustomer ? [] : [charge.id, charge.pix.txid, charge.end_to_end_id]
    const isIn = (prefix: string) => texts.some((text) => text.startsWith(prefix))
    return words.every(
      ({ text, folded, parts, documentPart }) =>
        isIn(folded) ||
        (parts.length > 0 && parts.every(isIn)) ||
        (documentPart !== undefined && document !== undefined && fitsDocument(document, documentPart)) ||
        ids.includes(text),
    )
  }
}
