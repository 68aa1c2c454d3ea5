const REPLACEMENT_CHARACTER = "\uFFFD"

/**
 * The start of a response body as text that is safe to store and show. Reads at most `bytesMax` bytes, as UTF-8
 * whatever the response declares: a character cut off at the end is dropped, and invalid UTF-8 and NUL become U+FFFD.
 * Never decompresses (docs/contract/deliveries.md#connections).
 */
export const decodeExcerpt = (chunks: ReadonlyArray<Uint8Array>, bytesMax: number): string => {
  const [first] = chunks
  if (first === undefined) return ""
  const bytes = (chunks.length === 1 ? first : Buffer.concat(chunks)).subarray(0, bytesMax)
  // Streaming mode holds back an incomplete character, which is then never read.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true })
  return text.includes("\0") ? text.replaceAll("\0", REPLACEMENT_CHARACTER) : text
}
