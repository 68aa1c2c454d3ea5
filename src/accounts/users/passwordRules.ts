import { Effect } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import type { UserEntity } from "../../store/users.ts"

/** Shorter words are in too many passwords by chance; they count beside a longer one. */
const tellingLengthMin = 3

/** How a letter is spelled by those who think that nobody does so. */
const spelledAs: Readonly<Record<string, string>> = {
  a: "4@",
  b: "8",
  e: "3",
  g: "9",
  i: "1!|",
  l: "1|",
  o: "0",
  s: "5$",
  t: "7+",
  z: "2",
}

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

/** The words of a name, and all of them in one: `Loja da Ana` is `loja`, `da`, `ana` and `lojadaana`. */
const wordsOf = (name: string): ReadonlyArray<string> => {
  const words = fold(name).match(/\p{L}+/gu) ?? []
  return [...words, words.join("")]
}

const isSpelled = (letter: string, as: string | undefined): boolean =>
  as !== undefined && (letter === as || spelledAs[letter]?.includes(as) === true)

const isAt = (text: ReadonlyArray<string>, start: number, word: ReadonlyArray<string>): boolean =>
  word.every((letter, index) => isSpelled(letter, text[start + index]))

/**
 * Whether a password has nothing in it but words of these names, digits and punctuation: `corrente123456`, `Loja-da-Ana!2026`,
 * `c0rrent3c0rrent3`. Such context-specific words are refused (NIST SP 800-63B-4, section 3.1.1.2).
 */
export const isMadeOfNames = (password: string, names: ReadonlyArray<string>): boolean => {
  const words = [...new Set(names.flatMap(wordsOf))].filter((word) => word !== "").map((word) => [...word])
  const text = [...fold(password)]
  // What each position is reached by: nothing, what is no word, or a word that tells.
  const reached: Array<"filler" | "word" | undefined> = ["filler"]
  for (const [start, character] of text.entries()) {
    const by = reached[start]
    if (by === undefined) continue
    if (!/\p{L}/u.test(character)) reached[start + 1] = reached[start + 1] === "word" ? "word" : by
    for (const word of words) {
      if (!isAt(text, start, word)) continue
      const end = start + word.length
      if (by === "word" || word.length >= tellingLengthMin) reached[end] = "word"
      else reached[end] ??= "filler"
    }
  }
  return reached[text.length] === "word"
}

/** Who chooses a password. */
export interface PasswordContext {
  readonly email: string
  /** Of the user, and of its seller. */
  readonly names: ReadonlyArray<string>
}

const productName = "Corrente"

/** Makes what reads the names of a user and of its seller. */
export const makePasswordContexts = Effect.map(SellerStore, (sellers) =>
  Effect.fnUntraced(function* ({ email, name, sellerId }: UserEntity) {
    const seller = sellerId === undefined ? undefined : yield* sellers.get(sellerId)
    const context: PasswordContext = { email, names: [name, seller?.name ?? "", seller?.legalName ?? ""] }
    return context
  }),
)

let common: Promise<ReadonlySet<string>> | undefined

const loadCommon = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import("@zxcvbn-ts/language-common")
  return new Set(dictionary["passwords-common"])
}

/**
 * The most common passwords of published leaks, in lower case. They are unpacked for the first password that somebody chooses:
 * most processes never need them.
 */
const commonPasswords: Effect.Effect<ReadonlySet<string>> = Effect.promise(() => {
  common ??= loadCommon()
  return common
})

/** Whether a password is the e-mail address of its user or the part before `@`, in any case. */
const isOwnAddress = (password: string, email: string): boolean => {
  const [text, address] = [password.toLowerCase(), email.toLowerCase()]
  return text === address || text === address.slice(0, address.lastIndexOf("@"))
}

/** Fails with 400 `validation_failed` at `param` if a new password is easy to guess (docs/contract/accounts.md#passwords). The contract checks its length. */
export const checkNewPassword = Effect.fnUntraced(function* (
  param: "password" | "newPassword",
  password: string,
  { email, names }: PasswordContext,
) {
  const refuse = (reason: string): ApiError<"validation_failed"> =>
    validationFailed(param, `${param} ${reason}`)
  if (isOwnAddress(password, email)) {
    return yield* refuse("must not be the e-mail address. Choose one that nobody who knows you would try.")
  }
  const local = email.slice(0, email.lastIndexOf("@"))
  if (isMadeOfNames(password, [productName, local, ...names])) {
    return yield* refuse(
      "must have more in it than names and numbers. Choose another, such as four random words.",
    )
  }
  const listed = yield* commonPasswords
  if (listed.has(password.toLowerCase())) {
    return yield* refuse(
      "is among the passwords that attackers try first. Choose another, such as four random words.",
    )
  }
})
