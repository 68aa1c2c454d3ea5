import "./headerLimit.ts"

import type { HttpResponse } from "uWebSockets.js"

export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from "uWebSockets.js"

// Not by a plain import: a bundle would load the native module before headerLimit.ts.
const {
  default: uws,
  App,
  us_listen_socket_close: closeListenSocket,
  us_socket_local_port: localPort,
} = await import("uWebSockets.js")

export { App, closeListenSocket, localPort }

/**
 * uWebSockets.js writes its name and version into every answer, which helps whoever looks for known holes. This undocumented call with
 * this constant is its only switch; test/http/answerHeaders.test.ts fails if a release changes it.
 */
const { _cfg: configure } = uws as unknown as { readonly _cfg: (key: string) => void }
configure("999999990007")

/** Option of `listen`: fails if the port is taken instead of sharing it (SO_REUSEPORT). */
export const exclusivePort = 1

/** Holds a text's bytes while they are handed over. uWebSockets.js copies what it is given, so one buffer serves all answers. */
const handedOver = Buffer.alloc(1024 * 1024)
/** UTF-8 takes up to three bytes for a unit of UTF-16. */
const unitBytesMax = 3

/** uWebSockets.js encodes a text itself, several times slower than Node. A longer one goes to it as it is. */
const encode = (body: string): string | Uint8Array =>
  body.length * unitBytesMax > handedOver.length ? body : handedOver.subarray(0, handedOver.write(body))

/**
 * Writes as much of a body, or of its rest, as the socket takes, and returns whether the answer is complete;
 * `response` must not be used any more then. `bodyBytes` is the size of the whole body; 0 means that `body` is the
 * whole.
 */
export const tryEnd = (response: HttpResponse, body: string | Uint8Array, bodyBytes: number): boolean =>
  response.tryEnd(typeof body === "string" && body !== "" ? encode(body) : body, bodyBytes)[1]
