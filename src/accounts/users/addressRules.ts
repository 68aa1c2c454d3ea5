import { domainToUnicode } from "node:url"
import { Effect } from "effect"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"

/** Bytes of the part before the `@` (RFC 5321, section 4.5.3.1.1). */
export const localPartBytesMax = 64

/** The scripts that are written together (UTS 39, section 5.1), besides each by itself. */
const writtenTogether: ReadonlyArray<RegExp> = [
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]*$/u,
  /^[\p{scx=Han}\p{scx=Hangul}]*$/u,
  /^[\p{scx=Han}\p{scx=Bopomofo}]*$/u,
  ...[
    ...[
      "Arabic",
      "Armenian",
      "Bengali",
      "Cyrillic",
      "Devanagari",
      "Ethiopic",
      "Georgian",
      "Greek",
      "Gujarati",
    ],
    ...[
      "Gurmukhi",
      "Hebrew",
      "Kannada",
      "Khmer",
      "Lao",
      "Malayalam",
      "Oriya",
      "Sinhala",
      "Tamil",
      "Telugu",
      "Thai",
    ],
  ].map((script) => new RegExp(`^\\p{scx=${script}}*$`, "u")),
]

/** Latin letters that are no letter of ASCII with an accent, and look like none. */
const otherLatin = new Set("ßæœøłđðþħŋ")
/** Letters of Cyrillic, Greek and Armenian that look like Latin ones: a word of these alone reads as another. */
const latinLookalikes = new Set("асԁеһіјӏорԛѕԝхуъьҽпгѵѡαικνρυωηοτաօսհցոյզ")

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

const isPlainLatin = (letter: string): boolean =>
  /^[a-z]\p{M}*$/u.test(letter.normalize("NFD")) || otherLatin.has(letter)

/**
 * Whether a text is of one script, composed and without letters that stand for others: nobody may have an address that reads as
 * somebody else's.
 */
const isUnmistakable = (text: string): boolean => {
  if (isAscii(text)) return true
  if (text.normalize("NFKC") !== text) return false
  const letters = [...text.toLowerCase()].filter(
    (character) => !isAscii(character) || /[a-z]/.test(character),
  )
  if (letters.some((letter) => !/[\p{L}\p{M}]/u.test(letter) || /\p{DI}/u.test(letter))) return false
  if (letters.every(isPlainLatin)) return true
  const written = letters.join("")
  return (
    writtenTogether.some((scripts) => scripts.test(written)) &&
    !letters.every((letter) => latinLookalikes.has(letter))
  )
}

/** Letters, digits and inner hyphens (RFC 5890, section 2.3.1), in any script. */
const label = /^[\p{L}\p{M}\d](?:[\p{L}\p{M}\d-]*[\p{L}\p{M}\d])?$/u

const checkDomain = (domain: string): string | undefined => {
  const isEncoded = domain.split(".").some((part) => /^xn--/i.test(part))
  const readable = isEncoded ? domainToUnicode(domain) : domain
  const labels = readable.split(".")
  // The last one tells names from addresses of machines, in any notation: 127.0.0.1, 0x7f.1, [::1].
  if (!labels.every((part) => label.test(part)) || /^\d/.test(labels.at(-1) ?? "")) {
    return "must be at a domain name, such as ana@example.com: no IP address, and no name that does not exist."
  }
  return labels.every(isUnmistakable) ? undefined : mistakable
}

const mistakable =
  "must not mix scripts or have letters that look like others: it could be taken for somebody else's address."

const faultOf = (address: string): string | undefined => {
  const at = address.lastIndexOf("@")
  const local = address.slice(0, at)
  if (Buffer.byteLength(local) > localPartBytesMax) {
    return `must have at most ${localPartBytesMax} bytes before the @.`
  }
  return checkDomain(address.slice(at + 1)) ?? (isUnmistakable(local) ? undefined : mistakable)
}

/**
 * Fails with 400 `validation_failed` at `email` unless an address may become that of an account (docs/contract/accounts.md#addresses).
 * The contract checks its form and length.
 */
export const checkNewAddress = (email: string): Effect.Effect<void, ApiError<"validation_failed">> =>
  Effect.suspend(() => {
    const fault = faultOf(email)
    return fault === undefined ? Effect.void : Effect.fail(validationFailed("email", `email ${fault}`))
  })
