import "./headerLimit.ts"

export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from "uWebSockets.js"
export {
  App,
  us_listen_socket_close as closeListenSocket,
  us_socket_local_port as localPort,
} from "uWebSockets.js"

/** Option of `listen`: fails where the port is taken, instead of sharing it (SO_REUSEPORT). */
export const exclusivePort = 1
