import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A proxy to a port of this machine that can cut its connections, as a bad network does. */
export interface CuttingProxy {
  readonly port: number
  /** How many connections were made so far. */
  readonly connections: () => number
  /** Resets every connection that is open now; new ones are passed on again. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

export const startCuttingProxy = async (targetPort: number): Promise<CuttingProxy> => {
  const open = new Set<Socket>()
  let made = 0
  const server = createServer((incoming) => {
    made++
    const outgoing = connect(targetPort, "127.0.0.1")
    const pair = [incoming, outgoing]
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(socket)
      socket.pipe(other)
      // The target may be down: the "close" that follows ends the caller's connection as well.
      socket.on("error", () => {})
      socket.once("close", () => {
        for (const one of pair) one.destroy()
        open.delete(socket)
      })
    }
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => made,
    cut,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        cut()
      }),
  }
}
