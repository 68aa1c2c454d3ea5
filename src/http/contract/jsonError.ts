/** V8's message for a text that `JSON.parse` rejects; undefined if it parses. */
const failureOf = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : ""
  }
}

/** V8 gives no position for a bad value: `Unexpected token 'x', "[1,x]" is not valid JSON`. */
const namesNoPosition = (failure: string | undefined): boolean =>
  failure?.endsWith(" is not valid JSON") === true

/**
 * The index at which a rejected text stops being JSON; its length if it ends too early. V8's message contains the
 * position of most errors. For the others, the shortest prefix with the same kind of error ends at the bad character,
 * and every longer prefix fails alike, so a binary search finds it.
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
