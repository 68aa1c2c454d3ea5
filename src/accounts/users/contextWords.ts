/** Shorter words are in too many passwords by chance; they count beside a longer one. */
const tellingLengthMin = 3

/** How a letter is spelled by those who think that nobody does so. */
const spelledAs: Readonly<Record<string, string>> = {
  ...{ a: "4@", b: "8", e: "3", g: "9", i: "1!|", l: "1|", o: "0", s: "5$", t: "7+", z: "2" },
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
