import type { ResponseFault } from "../../schema/names.ts"

const words: Readonly<Record<ResponseFault, string>> = {
  response_head_too_large: "the head of the answer is over 16 KiB",
  response_bare_line_feed: "a line in the head of the answer ends in a line feed without a carriage return",
  response_two_lengths: "the answer has two lengths",
  response_switches_protocols: "the answer is 101 Switching Protocols, which was not asked for",
  response_not_http: "the answer is not HTTP/1.1",
}

/** Somebody answered, but not with HTTP/1.1. The message repeats nothing that was received. */
export class AnswerFault extends Error {
  override readonly name = "AnswerFault"
  readonly fault: ResponseFault

  constructor(fault: ResponseFault) {
    super(words[fault])
    this.fault = fault
  }
}

/** How undici's parser fails, besides by codes. */
const parserErrors: ReadonlySet<string> = new Set(["HTTPParserError", "AssertionError"])
const parserCodes: ReadonlySet<string> = new Set([
  "UND_ERR_HEADERS_OVERFLOW",
  // The parser says so of whatever is wrong after a Content-Length.
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
])

const bareLineFeed = /(?:^|[^\r])\n/
const lengthLine = /^(content-length|transfer-encoding)[ \t]*:(.*)$/gim

/** Whether a head has lengths that may contradict each other, equal ones too (RFC 9112, section 6.3). */
const hasTwoLengths = (head: string): boolean => {
  const lengths = [...head.matchAll(lengthLine)]
  const isLength = ([, name]: RegExpExecArray) => name?.toLowerCase() === "content-length"
  return lengths.some(isLength) && (lengths.length > 1 || lengths[0]?.[2]?.includes(",") === true)
}

const faultIn = (received: string): ResponseFault => {
  if (!received.startsWith("HTTP/")) return "response_not_http"
  const [head = ""] = received.split("\r\n\r\n", 1)
  if (/^HTTP\/1\.\d 101(?!\d)/.test(head)) return "response_switches_protocols"
  if (bareLineFeed.test(head)) return "response_bare_line_feed"
  return hasTwoLengths(head) ? "response_two_lengths" : "response_not_http"
}

/**
 * What an error of undici's parser means, judged by the start of what was received, as its messages are wrong where a
 * `Content-Length` came before the mistake. Any other error is given back.
 */
export const explainError = (error: Error, received: () => string): Error => {
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  if (code === "UND_ERR_SOCKET" && error.message === "bad upgrade") {
    return new AnswerFault("response_switches_protocols")
  }
  if (!parserErrors.has(error.name) && !parserCodes.has(code)) return error
  if (code === "UND_ERR_HEADERS_OVERFLOW") return new AnswerFault("response_head_too_large")
  return new AnswerFault(faultIn(received()))
}
