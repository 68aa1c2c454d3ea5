/** What Redis answered to one command: a status, number or text, or an error. `foreign`: too long, or none of these. */
export type RedisReply =
  | { readonly kind: "value" | "error"; readonly text: string }
  | { readonly kind: "foreign" }

/** Bytes that a reply may take. The replies to AUTH and XADD take some twenty, an error a line. */
const replyBytesMax = 1_024

/** A command as Redis takes it: an array of texts (Redis serialization protocol, arrays and bulk strings). */
export const encodeCommand = (parts: ReadonlyArray<string>): string =>
  `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join("")}`

const lineEnd = "\r\n"
const simpleKinds: Readonly<Record<string, "value" | "error">> = { "+": "value", ":": "value", "-": "error" }

/** A reply whose head has no line end yet, or whose text is not whole. */
const unfinished = (bytes: Buffer): RedisReply | undefined =>
  bytes.length > replyBytesMax || !/^[+:$-]/.test(bytes.toString("latin1", 0, 1))
    ? { kind: "foreign" }
    : undefined

/**
 * The reply that some bytes are, all of them; undefined while it is not whole. Nothing is allocated by a length that the other side
 * says, and what may nest is not read at all.
 */
export const readReply = (bytes: Buffer): RedisReply | undefined => {
  const end = bytes.indexOf(lineEnd)
  if (end < 0 || bytes.length > replyBytesMax) return unfinished(bytes)
  const head = bytes.toString("utf8", 1, end)
  const rest = bytes.length - end - lineEnd.length
  const type = bytes.toString("latin1", 0, 1)
  const kind = simpleKinds[type]
  if (kind !== undefined) return rest === 0 ? { kind, text: head } : { kind: "foreign" }
  if (type !== "$" || !/^\d{1,4}$/.test(head) || Number(head) > replyBytesMax) return { kind: "foreign" }
  const whole = Number(head) + lineEnd.length
  if (rest < whole) return unfinished(bytes)
  const isEnded = rest === whole && bytes.toString("latin1", bytes.length - 2) === lineEnd
  return isEnded
    ? { kind: "value", text: bytes.toString("utf8", end + 2, bytes.length - 2) }
    : { kind: "foreign" }
}
