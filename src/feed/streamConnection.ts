/** Takes the connection of an opened stream. The front end calls it once, even if the client has left meanwhile. */
export type StartStream = (connection: StreamConnection) => void

/**
 * An open `text/event-stream` answer as the feed sees it; the HTTP front end owns the socket. After the end, all
 * methods do nothing.
 */
export interface StreamConnection {
  /** Sends bytes, or keeps them until the socket takes them. Writes of one turn of the event loop are sent together. */
  readonly write: (bytes: Uint8Array) => void
  /** Bytes written that the socket has not taken yet. */
  readonly unsentBytes: () => number
  /** Calls back once when the socket has taken all bytes; immediately if there are none. */
  readonly whenDrained: (listener: () => void) => void
  /** Ends the answer after what has been written. */
  readonly end: () => void
  /** Cuts the socket immediately and drops unsent bytes: for slow readers. */
  readonly cut: () => void
  /** Calls back once at the end, whoever caused it. */
  readonly onEnded: (listener: () => void) => void
}
