/**
 * An open `text/event-stream` answer as the feed sees it; the HTTP front end owns the socket behind it.
 * All methods are safe after the end: they do nothing then.
 */
export interface StreamConnection {
  /** Sends bytes, or keeps them until the socket takes them. Writes of one turn of the event loop go out as one. */
  readonly write: (bytes: Uint8Array) => void
  /** Bytes written and not yet taken by the socket. */
  readonly unsentBytes: () => number
  /** Called once when all unsent bytes have been taken; at once where there are none. */
  readonly whenDrained: (listener: () => void) => void
  /** Ends the answer after what has been written. */
  readonly end: () => void
  /** Cuts the socket at once, unsent bytes lost: for slow readers. */
  readonly cut: () => void
  /** Called once at the end, whoever ended it. */
  readonly onEnded: (listener: () => void) => void
}
