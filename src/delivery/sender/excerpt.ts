const REPLACEMENT_CHARACTER = "\uFFFD"

/**
 * The start of a response's body as text that can be stored and shown anywhere. At most `bytesMax` bytes are looked
 * at. They are read as UTF-8 whatever the response says of itself: a character that is cut at the end is left out,
 * what is no UTF-8 and NUL become U+FFFD. The body is never decompressed (decisions 5).
 */
export const decodeExcerpt = (chunks: ReadonlyArray<Uint8Array>, bytesMax: number): string => {
  const [first] = chunks
  if (first === undefined) return ""
  const bytes = (chunks.length === 1 ? first : Buffer.concat(chunks)).subarray(0, bytesMax)
  // Streaming mode keeps back an unfinished character, and it is never asked for the rest.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true })
  return text.includes("\0") ? text.replaceAll("\0", REPLACEMENT_CHARACTER) : text
}
