import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A network between two parties that can lose everything silently: no reset, no end, no answer. */
export interface TcpProxy {
  readonly port: number
  /** Lets nothing through from now on, on open and new connections, and closes none. */
  readonly swallow: () => void
  /** Lets new connections through again. Swallowed ones stay lost, as behind a router that has forgotten them. */
  readonly heal: () => void
  /** Accepts new connections from now on, and carries nothing over them until {@link release}. */
  readonly hold: () => void
  /** How many connections are held. */
  readonly held: () => number
  /** Carries on what was held, with all that has been sent meanwhile. */
  readonly release: () => void
  readonly close: () => Promise<void>
}

/** Starts a proxy on 127.0.0.1 to a port of 127.0.0.1. */
export const startTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const open = new Set<Socket>()
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>()
  const waiting: Array<() => void> = []
  let isSwallowing = false
  let isHolding = false

  const remember = (socket: Socket) => {
    open.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => open.delete(socket))
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    remember(near)
    if (isSwallowing) {
      near.resume()
      return
    }
    if (isHolding) waiting.push(() => join(near))
    else join(near)
  })
  const join = (near: Socket) => {
    const far = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true })
    remember(far)
    const pair = { near, far }
    pairs.add(pair)
    near.pipe(far)
    far.pipe(near)
    near.once("close", () => far.destroy())
    far.once("close", () => {
      if (pairs.delete(pair)) near.destroy()
    })
  }
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    port: (server.address() as AddressInfo).port,
    swallow: () => {
      isSwallowing = true
      for (const { near, far } of pairs) {
        near.unpipe(far)
        far.unpipe(near)
        near.resume()
        far.resume()
      }
      // The near side of a lost pair stays open even where the far side closes.
      pairs.clear()
    },
    heal: () => {
      isSwallowing = false
    },
    hold: () => {
      isHolding = true
    },
    held: () => waiting.length,
    release: () => {
      isHolding = false
      for (const carryOn of waiting.splice(0)) carryOn()
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        for (const socket of open) socket.destroy()
      }),
  }
}
