import net from "node:net"

/** One response as it came over the wire. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Splits what a server sent into responses; bodies by Content-Length or chunks. `rest` is what is incomplete. */
export const parseResponses = (
  received: Buffer,
  headOnly = false,
): { readonly responses: ReadonlyArray<RawResponse>; readonly rest: Buffer } => {
  const responses: Array<RawResponse> = []
  let rest = received
  for (;;) {
    const end = rest.indexOf("\r\n\r\n")
    if (end < 0) return { responses, rest }
    const [statusLine = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n")
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
    )
    const body = headOnly ? Buffer.alloc(0) : takeBody(rest.subarray(end + 4), headers)
    if (body === undefined) return { responses, rest }
    responses.push({
      status: Number(statusLine.split(" ")[1]),
      headers,
      body: body.toString("utf8"),
    })
    rest = rest.subarray(end + 4 + body.length)
  }
}

/** Chunked bodies are left as they are: the tests of streams read them themselves. */
const takeBody = (rest: Buffer, headers: Readonly<Record<string, string>>): Buffer | undefined => {
  const length = headers["content-length"]
  if (length === undefined) return rest
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined
}

/** A socket that keeps what it receives. */
export class RawClient {
  received = Buffer.alloc(0)
  closed = false
  readonly socket: net.Socket
  readonly #listeners = new Set<() => void>()

  /** `localAddress` is the address it connects from: any of 127.0.0.0/8 on Linux. */
  constructor(port: number, localAddress = "127.0.0.1") {
    this.socket = net.connect({ port, host: "127.0.0.1", localAddress })
    this.socket.setNoDelay(true)
    this.socket.on("data", (chunk) => {
      this.received = Buffer.concat([this.received, chunk])
      this.#notify()
    })
    this.socket.on("error", () => {})
    this.socket.on("close", () => {
      this.closed = true
      this.#notify()
    })
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Resolves when what was received, or the end of the connection, fulfils the condition. */
  until(condition: (client: RawClient) => boolean): Promise<this> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition(this)) return
        this.#listeners.delete(check)
        resolve(this)
      }
      this.#listeners.add(check)
      check()
    })
  }

  /** The first `count` responses; fewer where the connection ends before. */
  async responses(count: number, headOnly = false): Promise<ReadonlyArray<RawResponse>> {
    await this.until(
      ({ received, closed }) => closed || parseResponses(received, headOnly).responses.length >= count,
    )
    return parseResponses(this.received, headOnly).responses
  }

  /** Everything received until the server closed. */
  async toEnd(): Promise<string> {
    await this.until(({ closed }) => closed)
    return this.received.toString("latin1")
  }

  text(): string {
    return this.received.toString("utf8")
  }

  close(): void {
    this.socket.destroy()
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Sends `bytes` and reads the first response; status 0 where the server closed without one. */
export const exchangeRaw = async (port: number, bytes: string | Uint8Array): Promise<RawResponse> => {
  const client = new RawClient(port)
  client.send(bytes)
  const [response] = await client.responses(1)
  client.close()
  return response ?? { status: 0, headers: {}, body: "" }
}
