import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** What stands in front of several processes, as the Service of a cluster does: it spreads connections, and knows no HTTP. */
export interface Balancer {
  readonly url: string
  /** Sends new connections to a port of this machine too. */
  readonly add: (port: number) => void
  /** Sends it no new connections. Open ones stay. */
  readonly remove: (port: number) => void
  /** How many connections a target refused; their clients lost them. */
  readonly refused: () => number
  readonly close: () => Promise<void>
}

/** Starts a balancer without targets, on a free port of 127.0.0.1. */
export const startBalancer = async (): Promise<Balancer> => {
  const targets: Array<number> = []
  const open = new Set<Socket>()
  let connections = 0
  let refused = 0

  const remember = (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    remember(near)
    near.on("error", () => {})
    const port = targets[connections % targets.length]
    connections += 1
    if (port === undefined) {
      near.resetAndDestroy()
      return
    }
    const far = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    remember(far)
    far.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") refused += 1
      near.resetAndDestroy()
    })
    near.pipe(far)
    far.pipe(near)
    near.once("close", () => far.destroy())
    far.once("close", () => near.destroy())
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (port) => {
      targets.push(port)
    },
    remove: (port) => {
      targets.splice(targets.indexOf(port), 1)
    },
    refused: () => refused,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        for (const socket of open) socket.destroy()
      }),
  }
}
