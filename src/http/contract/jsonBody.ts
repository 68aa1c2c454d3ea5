import { isUtf8 } from "node:buffer"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"

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

const malformed = (text: string): ApiError<"validation_failed"> => {
  if (/^[ \t\r\n]*$/.test(text)) return validationFailed(undefined, "The body is empty. Send a JSON object.")
  const position = locateJsonError(text)
  const before = text.slice(0, position).split("\n")
  const where = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
  return validationFailed(
    undefined,
    position >= text.length
      ? `The body is not valid JSON: it ends too early, at ${where}.`
      : `The body is not valid JSON at ${where}.`,
  )
}

/** Parses a body; 400 `validation_failed` says where it is malformed, without repeating any of it. */
export const parseJsonBody = (bytes: Buffer): unknown | ApiError => {
  if (!isUtf8(bytes)) return validationFailed(undefined, "The body is not valid UTF-8.")
  const text = bytes.toString("utf8")
  try {
    return JSON.parse(text)
  } catch {
    return malformed(text)
  }
}

/** Longest path that is tracked; `validation.ts` truncates paths to the same length. */
const pathLengthMax = 200

const loneSurrogate = /\p{Surrogate}/u

/**
 * The path of a string with a lone surrogate (`\ud83d` alone) in a decoded body, or undefined. UTF-8 cannot encode
 * such a string: a copy in Redis or in a delivery would differ from what was sent. A key with one is reported by the
 * path of its object. Iterative, so that depth costs no stack.
 */
export const findLoneSurrogate = (decoded: unknown): string | undefined => {
  const rest: Array<readonly [path: string, value: unknown]> = [["", decoded]]
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    const [path, value] = item
    if (typeof value === "string" && loneSurrogate.test(value)) return path
    if (typeof value !== "object" || value === null) continue
    for (const [key, member] of Object.entries(value)) {
      if (loneSurrogate.test(key)) return path
      const prefix = path === "" || path.length > pathLengthMax ? path : `${path}.`
      rest.push([path.length > pathLengthMax ? path : prefix + key, member])
    }
  }
  return undefined
}

/** Whether a body may contain a lone surrogate: valid UTF-8 can only express one by a `\u` escape. */
export const mayHoldLoneSurrogate = (bytes: Buffer): boolean => bytes.includes("\\u")
