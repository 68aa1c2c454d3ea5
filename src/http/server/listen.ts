import { createServer } from "node:net"
import { Effect, Schema } from "effect"
import { exclusivePort, type TemplatedApp, type us_listen_socket } from "./uws.ts"

/** The server cannot listen; `message` says which setting to change. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  host: Schema.String,
  port: Schema.Int,
  reason: Schema.String,
  message: Schema.String,
}) {}

const advice = (host: string, port: number, reason: string): string => {
  switch (reason) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is taken. Set PORT to a free one (0 lets the system choose), or stop the process that uses it.`
    case "EACCES":
      return `This user may not listen on port ${port} of ${host}. Set PORT to 1024 or above.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return `${host} is not an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all.`
    default:
      return `Cannot listen on ${host}:${port} (${reason}). Check HOST and PORT.`
  }
}

/** uWebSockets.js does not say why it cannot listen, but Node does when it tries the same. */
const findReason = (host: string, port: number): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const probe = createServer()
    probe.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code ?? error.message)))
    probe.listen(port, host, () => probe.close(() => resume(Effect.succeed("unknown reason"))))
  })

/**
 * Listens on an address. `shared` lets several processes listen on the same port; otherwise a taken port is an error.
 */
export const listen = (
  app: TemplatedApp,
  host: string,
  port: number,
  shared: boolean,
): Effect.Effect<us_listen_socket, ListenFailed> =>
  Effect.suspend(() => {
    let socket: us_listen_socket | false = false
    // The callback runs before `listen` returns. The declared types lack the overload with host and options.
    const listenWith: (
      host: string,
      port: number,
      options: number,
      callback: (socket: us_listen_socket | false) => void,
    ) => void = app.listen.bind(app) as never
    listenWith(host, port, shared ? 0 : exclusivePort, (opened) => {
      socket = opened
    })
    if (socket !== false) return Effect.succeed(socket)
    return Effect.flatMap(findReason(host, port), (reason) =>
      Effect.fail(new ListenFailed({ host, port, reason, message: advice(host, port, reason) })),
    )
  })
