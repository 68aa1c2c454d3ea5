/** A request as an attempt sent it; the values of a tracker's own headers are hidden. */
export interface SentRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The exact text that `X-Signature` signs, `<t>.<raw body>` (docs/contract/deliveries.md#signature); null where the request
 * was not signed.
 */
export const signedContent = ({ headers, body }: Omit<SentRequest, "url">): string | null => {
  const timestamp = headers["webhook-timestamp"]
  return timestamp === undefined || headers["X-Signature"] === undefined ? null : `${timestamp}.${body}`
}

/** Quotes a text without NUL for a POSIX shell, which takes all between single quotes as it stands (XCU 2.2.2). */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Longer bodies come by a pipe: Linux takes at most 128 KiB as one argument of a command (`MAX_ARG_STRLEN`). */
const argumentBytesMax = 100_000

/** Headers that curl adds by itself. `name:` alone leaves one out. */
const addedByCurl = ["Accept", "Expect"]

/** A header as curl's `--header` takes it: an empty value is spelt with a semicolon. */
const headerArgument = ([name, value]: readonly [string, string]): string =>
  value === "" ? `${name};` : `${name}: ${value}`

/**
 * A command for a POSIX shell that sends the same request again by curl: the same URL, headers and bytes. Only the headers of the
 * connection (`Connection`) are curl's own.
 */
export const curlCommand = ({ url, headers, body }: SentRequest): string => {
  const sent = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const leftOut = addedByCurl.filter((name) => !sent.has(name.toLowerCase()))
  const isArgument = Buffer.byteLength(body) <= argumentBytesMax
  const parts = [
    // Our requests are HTTP/1.1. Without globoff, curl would expand brackets in the URL.
    `curl --http1.1 --globoff ${shellQuote(url)}`,
    ...Object.entries(headers).map((header) => `--header ${shellQuote(headerArgument(header))}`),
    ...leftOut.map((name) => `--header '${name}:'`),
    // Raw, as a body that begins with @ is not the name of a file.
    isArgument ? `--data-raw ${shellQuote(body)}` : "--data-binary @-",
  ]
  const command = parts.join(" \\\n  ")
  return isArgument ? command : `printf '%s' ${shellQuote(body)} |\n  ${command}`
}
