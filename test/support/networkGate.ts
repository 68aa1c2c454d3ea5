import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"

/** What the network does with bytes on one way of a connection. */
export interface Way {
  /** Nothing arrives until the way is changed again; then all of it does, late, as TCP sends again what was lost. */
  readonly isHeld?: boolean
  /** How long every byte is under way, in ms. */
  readonly delayMillis?: number
  /** How many bytes arrive at once at most. */
  readonly sliceBytes?: number
}

/** What the network does between those who connect from an address, and a server. */
export interface Route {
  /** To the server. */
  readonly requests: Way
  /** From the server. */
  readonly answers: Way
}

/** The network before one server, which everybody reaches through it. Routes are told apart by the address that connects. */
export interface NetworkGate {
  readonly port: number
  /** Changes the route from a source address, on open and on new connections. */
  readonly set: (source: string, route: Route) => void
  /** Resets all connections from a source address. */
  readonly reset: (source: string) => void
  /** Makes all routes whole. */
  readonly heal: () => void
  readonly close: () => Promise<void>
}

const whole: Route = { requests: {}, answers: {} }
/** What is held in memory per way; more stays with the sender, as behind a full buffer of the network. */
const queuedBytesMax = 4 * 1024 * 1024
/** Between the slices of what was sent at once. */
const sliceMillis = 1

/** What is under way: bytes, the end of what a side sends, or the loss of the connection. */
type Piece = { readonly atMillis: number; readonly what: Buffer | "end" | "close" }

interface Changes {
  readonly next: () => Promise<unknown>
  readonly tell: () => void
}

const makeChanges = (): Changes => {
  let tell = () => {}
  let next = new Promise<void>((done) => {
    tell = done
  })
  return {
    next: () => next,
    tell: () => {
      tell()
      next = new Promise<void>((done) => {
        tell = done
      })
    },
  }
}

const writeSliced = async (to: Socket, bytes: Buffer, sliceBytes: number | undefined): Promise<void> => {
  const step = sliceBytes ?? bytes.length
  for (let from = 0; from < bytes.length && !to.destroyed; from += step) {
    if (from > 0) await pause(sliceMillis)
    to.write(bytes.subarray(from, from + step))
  }
}

/** Carries what `from` sends to `to`, its end included, as the way is at each moment. */
const carry = (from: Socket, to: Socket, way: () => Way, changes: Changes): void => {
  const queue: Array<Piece> = []
  let queuedBytes = 0
  let isCarrying = false
  const carryAll = async () => {
    for (let piece = queue[0]; piece !== undefined; piece = queue[0]) {
      while (way().isHeld && !to.destroyed) await changes.next()
      const { delayMillis = 0, sliceBytes } = way()
      const waitMillis = piece.atMillis + delayMillis - performance.now()
      if (waitMillis > 0) await pause(waitMillis)
      queue.shift()
      if (piece.what === "close") to.destroy()
      else if (piece.what === "end") to.end()
      else {
        queuedBytes -= piece.what.length
        await writeSliced(to, piece.what, sliceBytes)
        if (queuedBytes < queuedBytesMax) from.resume()
      }
    }
  }
  const push = (what: Piece["what"]) => {
    queue.push({ atMillis: performance.now(), what })
    if (isCarrying) return
    isCarrying = true
    void carryAll().finally(() => {
      isCarrying = false
    })
  }
  from.on("data", (bytes: Buffer) => {
    queuedBytes += bytes.length
    if (queuedBytes > queuedBytesMax) from.pause()
    push(bytes)
  })
  from.on("error", () => {})
  from.once("end", () => push("end"))
  from.once("close", () => push("close"))
}

/** Opens a gate on 127.0.0.1 before a port of 127.0.0.1, which may begin to listen later. */
export const openNetworkGate = async (targetPort: number): Promise<NetworkGate> => {
  const routes = new Map<string, Route>()
  const open = new Map<Socket, { readonly source: string; readonly far: Socket }>()
  const changes = makeChanges()
  // Half open: the end of one side is news for the other, and may be held as such.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const source = near.remoteAddress ?? ""
    const route = () => routes.get(source) ?? whole
    const far = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true })
    for (const socket of [near, far]) socket.setNoDelay(true)
    open.set(near, { source, far })
    near.once("close", () => open.delete(near))
    carry(near, far, () => route().requests, changes)
    carry(far, near, () => route().answers, changes)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const heal = () => {
    routes.clear()
    changes.tell()
  }
  return {
    port: (server.address() as AddressInfo).port,
    set: (source, route) => {
      routes.set(source, route)
      changes.tell()
    },
    reset: (source) => {
      for (const [near, link] of open) {
        if (link.source !== source) continue
        near.resetAndDestroy()
        link.far.resetAndDestroy()
      }
    },
    heal,
    close: async () => {
      heal()
      for (const [near, { far }] of open) {
        near.destroy()
        far.destroy()
      }
      server.close()
      await once(server, "close")
    },
  }
}

/** Several gates before one server, where it has several ports. Its port is the first one's. */
export const joinGates = (first: NetworkGate, ...more: ReadonlyArray<NetworkGate>): NetworkGate => {
  const all = [first, ...more]
  const onAll = (act: (gate: NetworkGate) => void) => {
    for (const gate of all) act(gate)
  }
  return {
    port: first.port,
    set: (source, route) => onAll((gate) => gate.set(source, route)),
    reset: (source) => onAll((gate) => gate.reset(source)),
    heal: () => onAll((gate) => gate.heal()),
    close: async () => {
      await Promise.all(all.map((gate) => gate.close()))
    },
  }
}

/** A server or Sentinel that everybody reaches through a network which can fail. */
export interface Gated {
  /** The network before it. */
  readonly gate: NetworkGate
  /** The address from which it connects to others. */
  readonly source: string
}

/** The address from which services connect. */
export const servicesSource = "127.0.0.1"

/** Nothing arrives for now. */
export const held: Way = { isHeld: true }

/** Changes the network between a server and others, and services where asked for: what they send it, and what it sends them. */
export const setRoutes = (
  server: Gated,
  peers: ReadonlyArray<Gated>,
  { hears = {}, says = {}, services = false }: { hears?: Way; says?: Way; services?: boolean },
): void => {
  for (const peer of peers) {
    server.gate.set(peer.source, { requests: hears, answers: says })
    peer.gate.set(server.source, { requests: says, answers: hears })
  }
  if (services) server.gate.set(servicesSource, { requests: hears, answers: says })
}
