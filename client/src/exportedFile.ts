import { CorrenteError } from "./errors.ts"
import { withDeadline } from "./waiting.ts"

/** A file of any length, whose bytes arrive as they are read. Read it once, and promptly: the service ends one that nobody reads. */
export interface ExportedFile {
  /** What the service calls it, such as `cobrancas-producao.csv`. */
  readonly name: string
  readonly contentType: string
  /** Its bytes, in pieces. Fails if the file does not end properly: what came before is not whole. */
  readonly [Symbol.asyncIterator]: () => AsyncGenerator<Uint8Array, void, undefined>
}

/** A file of JSON lines. */
export interface ExportedRows<Row> extends ExportedFile {
  /** Its lines as objects, instead of its bytes. Fails as these do. */
  readonly rows: () => AsyncGenerator<Row, void, undefined>
}

/** What an export with a query comes as: JSON lines have rows. */
export type ExportOf<Query, Row> = Query extends { readonly format: "ndjson" }
  ? ExportedRows<Row>
  : ExportedFile

const notWhole = (cause?: unknown): CorrenteError =>
  new CorrenteError({
    code: "network_error",
    message: "The file did not end: throw away what came of it, and ask again.",
    cause,
  })

/** Each piece must come within the time of a call, and the signal ends them all. */
async function* bytesOf(
  response: Response,
  timeoutMillis: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await withDeadline(timeoutMillis, signal, () => reader.read())
      if (done) return
      yield value
    }
  } catch (cause) {
    throw cause instanceof CorrenteError && cause.code === "network_error" ? notWhole(cause.cause) : cause
  } finally {
    // Ends the connection where the file was not read to its end; it may be broken already.
    reader.cancel().catch(() => {})
  }
}

async function* rowsOf<Row>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) yield JSON.parse(line) as Row
  }
  // Every row ends its line. A proxy that closes the connection instead of counting bytes makes half a file look whole.
  if (rest + decoder.decode() !== "") throw notWhole()
}

/** The file that an answer is. */
export const exportedFileOf = <Row>(
  response: Response,
  timeoutMillis: number,
  signal: AbortSignal | undefined,
): ExportedRows<Row> => {
  const bytes = () => bytesOf(response, timeoutMillis, signal)
  const { headers } = response
  return {
    name: /filename="([^"]*)"/.exec(headers.get("content-disposition") ?? "")?.[1] ?? "",
    contentType: headers.get("content-type") ?? "",
    [Symbol.asyncIterator]: bytes,
    rows: () => rowsOf<Row>(bytes()),
  }
}
