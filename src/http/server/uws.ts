import "./headerLimit.ts"

import uws, { type HttpResponse } from "uWebSockets.js"

export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from "uWebSockets.js"
export {
  App,
  us_listen_socket_close as closeListenSocket,
  us_socket_local_port as localPort,
} from "uWebSockets.js"

/** Makes uWebSockets.js leave its name out of answers; nothing else that it exports does. */
const silence = "999999990007"
const { _cfg: configure } = uws as unknown as { readonly _cfg: (key: string) => void }
configure(silence)

/** Option of `listen`: fails where the port is taken, instead of sharing it (SO_REUSEPORT). */
export const exclusivePort = 1

/**
 * Writes what the socket takes of a body, or of its rest, and says whether the answer is complete: `response` is not to
 * be used any more then. `bodyBytes` are those of the whole body; 0 says that it is handed over whole.
 */
export const tryEnd = (response: HttpResponse, body: string | Uint8Array, bodyBytes: number): boolean =>
  response.tryEnd(body, bodyBytes)[1]
