/** Characters of Windows-1252 beyond Latin-1, which PDF's standard fonts have. */
const further = new Set("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ")
/** Letters that have no accent to take away. */
const alike: Readonly<Record<string, string>> = { ł: "l", Ł: "L", đ: "d", Đ: "D", ı: "i", ħ: "h", ŋ: "n" }

const isInFont = (character: string): boolean =>
  /^[\x20-\x7e\u00a1-\u00ff]$/.test(character) || further.has(character)

/** Pictures and what joins, colours or numbers them. */
const isPicture = (character: string): boolean =>
  /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Variation_Selector}\p{M}\p{Cf}]$/u.test(
    character,
  )

const inFont = (character: string): string => {
  if (isInFont(character)) return character
  if (/^\s$/u.test(character)) return " "
  const plain = [...(alike[character] ?? character.normalize("NFKD"))].filter(isInFont).join("")
  if (plain !== "") return plain
  return isPicture(character) ? "" : "?"
}

/**
 * A text in the letters of PDF's standard fonts: letters with accents that they lack lose the accents, pictures are left out, and what
 * is written in other letters becomes question marks. Never empty.
 */
export const printable = (text: string): string =>
  [...text.normalize("NFC")].map(inFont).join("").replace(/\s+/g, " ").trim() || "-"
