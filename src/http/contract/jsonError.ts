/** What `JSON.parse` says of a text that it refuses; undefined if it parses. */
const failureOf = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : ""
  }
}

/** V8 names no position for a value that is none: `Unexpected token 'x', "[1,x]" is not valid JSON`. */
const namesNoPosition = (failure: string | undefined): boolean =>
  failure?.endsWith(" is not valid JSON") === true

/**
 * The index at which a text that `JSON.parse` refused stops being JSON; its length if it ends too early. V8's message has
 * the position of most errors. For the rest, the shortest prefix that fails in the same way ends with the character that
 * is wrong: every longer one fails alike, so a binary search finds it.
 */
export const locateJsonError = (text: string): number => {
  const failure = failureOf(text)
  const position = / at position (\d+)/.exec(failure ?? "")?.[1]
  if (position !== undefined) return Number(position)
  if (!namesNoPosition(failure)) return text.length
  let low = 0
  let high = text.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (namesNoPosition(failureOf(text.slice(0, middle + 1)))) high = middle
    else low = middle + 1
  }
  return low
}
