/** What a seller is found by: `n:<word>` of its names, and `d:<fingerprint>` of its document. */
export type SellerTerm = string

/** Words of each name that count; names are short, and an index entry for each is written with the seller. */
const wordsMax = 24
const wordLengthMax = 32

/** The words of a text in lower case and without accents. Marks and punctuation separate them. */
export const wordsOf = (text: string): ReadonlyArray<string> => {
  const bare = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
  const words = (bare.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    [...word].slice(0, wordLengthMax).join(""),
  )
  return [...new Set(words)].slice(0, wordsMax)
}

/** The terms of a seller's names. */
export const nameTermsOf = (seller: {
  readonly name: string
  readonly legalName: string | undefined
}): ReadonlyArray<SellerTerm> =>
  [...new Set([...wordsOf(seller.name), ...wordsOf(seller.legalName ?? "")])].map((word) => `n:${word}`)

/** The term of a document, by its fingerprint: whoever reads the index must not be able to guess the document. */
export const documentTermOf = (fingerprint: string): SellerTerm => `d:${fingerprint}`

/** What operators look for: all these words, as beginnings of words of a name; or one document. */
export type SellerLookup =
  | { readonly kind: "name"; readonly words: ReadonlyArray<string> }
  | { readonly kind: "document"; readonly term: SellerTerm }

/** The beginning of the terms that a lookup reads: that of its longest word, which fewest sellers have. */
export const prefixOf = (by: SellerLookup): string =>
  by.kind === "document"
    ? `${by.term} `
    : `n:${[...by.words].sort((one, other) => other.length - one.length)[0] ?? ""}`

/** Whether a seller with these terms is what is looked for, and `term` the first that says so: each is found once. */
export const isFoundBy = (by: SellerLookup, terms: ReadonlyArray<SellerTerm>, term: SellerTerm): boolean => {
  if (by.kind === "document") return by.term === term
  const prefix = prefixOf(by)
  const first = terms.filter((one) => one.startsWith(prefix)).sort()[0]
  return first === term && by.words.every((word) => terms.some((one) => one.startsWith(`n:${word}`)))
}

/** The states of a seller that a list may be filtered by; undefined: of any. */
interface SellerStates {
  readonly status: string | undefined
  readonly kycStatus: string | undefined
}

/** Whether a seller is of the states that a list is filtered by. */
export const isListed = (seller: SellerStates, { status, kycStatus }: SellerStates): boolean =>
  (status === undefined || seller.status === status) &&
  (kycStatus === undefined || seller.kycStatus === kycStatus)
