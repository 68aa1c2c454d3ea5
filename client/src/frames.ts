/** One frame of Server-Sent Events; fields that it does not have are undefined. */
export interface Frame {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string | undefined
  readonly retry: string | undefined
}

/** Reads frames out of bytes that come in pieces. */
export interface FrameReader {
  /** The frames that these bytes complete. What never gets its blank line is no frame. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<Frame>
}

/** A reader for one connection: lines end with LF, CRLF or CR, and comments are left out. */
export const frameReader = (): FrameReader => {
  const decoder = new TextDecoder()
  let rest = ""
  let fields = new Map<string, string>()

  const takeLine = (line: string): Frame | undefined => {
    if (line === "") {
      if (fields.size === 0) return undefined
      const of = (name: string) => fields.get(name)
      const frame = { id: of("id"), event: of("event"), data: of("data"), retry: of("retry") }
      fields = new Map()
      return frame
    }
    const colon = line.indexOf(":")
    if (colon === 0) return undefined
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "")
    const earlier = name === "data" ? fields.get(name) : undefined
    fields.set(name, earlier === undefined ? value : `${earlier}\n${value}`)
    return undefined
  }

  return {
    push: (bytes) => {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ""
      return lines.map(takeLine).filter((frame) => frame !== undefined)
    },
  }
}
