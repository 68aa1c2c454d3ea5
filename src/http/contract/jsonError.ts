const spacePattern = /[ \t\r\n]*/y
/** A JSON string holds unescaped all from the space on, but the quote and the backslash. */
const scalarPattern =
  /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

const endOf = (pattern: RegExp, text: string, start: number): number => {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : -1
}

/**
 * The index at which a text stops being JSON (RFC 8259), its length where it ends too early: `JSON.parse` names no
 * place for most errors. For texts that `JSON.parse` refused. Depth costs no stack.
 */
export const locateJsonError = (text: string): number => {
  const open: Array<"{" | "["> = []
  let expected: "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" = "value"
  let position = 0
  for (;;) {
    position = endOf(spacePattern, text, position)
    const character = text[position]
    if (character === undefined) return text.length
    const container = open.at(-1)
    const closes =
      (expected === "commaOrEnd" && character === (container === "{" ? "}" : "]")) ||
      (expected === "valueOrEnd" && character === "]") ||
      (expected === "keyOrEnd" && character === "}")
    if (closes && container !== undefined) {
      open.pop()
      position++
      expected = "commaOrEnd"
    } else if (expected === "commaOrEnd") {
      if (character !== "," || container === undefined) return position
      position++
      expected = container === "{" ? "key" : "value"
    } else if (expected === "colon") {
      if (character !== ":") return position
      position++
      expected = "value"
    } else if (expected === "key" || expected === "keyOrEnd") {
      const end = character === '"' ? endOf(scalarPattern, text, position) : -1
      if (end < 0) return position
      position = end
      expected = "colon"
    } else if (character === "{" || character === "[") {
      open.push(character)
      position++
      expected = character === "{" ? "keyOrEnd" : "valueOrEnd"
    } else {
      const end = endOf(scalarPattern, text, position)
      if (end < 0) return position
      position = end
      expected = "commaOrEnd"
    }
  }
}
