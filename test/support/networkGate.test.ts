import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { expect, it, type TestContext } from "vitest"
import { type NetworkGate, openNetworkGate } from "./networkGate.ts"
import { until } from "./until.ts"

/** An echo behind a gate. */
const openEcho = async (atEnd: TestContext["onTestFinished"]): Promise<NetworkGate> => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.pipe(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const gate = await openNetworkGate((server.address() as AddressInfo).port)
  atEnd(async () => {
    await gate.close()
    server.close()
  })
  return gate
}

/** Connects from an address, and collects what comes. */
const connectFrom = async (gate: NetworkGate, localAddress: string) => {
  const socket: Socket = connect({ port: gate.port, host: "127.0.0.1", localAddress })
  await once(socket, "connect")
  const pieces: Array<string> = []
  let isClosed = false
  socket.on("error", () => {})
  socket.on("data", (piece) => pieces.push(String(piece)))
  socket.once("close", () => {
    isClosed = true
  })
  return { socket, pieces, text: () => pieces.join(""), isClosed: () => isClosed }
}

it("a gate holds what one address sends or is sent, and carries it on, in order, once it is healed", async ({
  onTestFinished,
}) => {
  const gate = await openEcho(onTestFinished)
  const held = await connectFrom(gate, "127.0.1.1")
  const free = await connectFrom(gate, "127.0.1.2")
  for (const route of [
    { requests: { isHeld: true }, answers: {} },
    { requests: {}, answers: { isHeld: true } },
  ]) {
    const before = held.text()
    gate.set("127.0.1.1", route)
    held.socket.write("a")
    held.socket.write("b")
    free.socket.write("c")
    await until("the free one's echo", () => free.text().endsWith("c"))
    expect(held.text()).toBe(before)
    gate.heal()
    await until("the held one's echo", () => held.text() === `${before}ab`)
    free.pieces.length = 0
  }
})

it("a held end of a connection arrives only after it is healed", async ({ onTestFinished }) => {
  const gate = await openEcho(onTestFinished)
  const client = await connectFrom(gate, "127.0.1.1")
  client.socket.write("a")
  await until("an echo", () => client.text() === "a")
  gate.set("127.0.1.1", { requests: { isHeld: true }, answers: {} })
  client.socket.end("b")
  const other = await connectFrom(gate, "127.0.1.2")
  other.socket.end()
  await until("the other's end", other.isClosed)
  expect(client.isClosed()).toBe(false)
  gate.heal()
  await until("its end", client.isClosed)
})

it("a gate slices and resets the connections of one address", async ({ onTestFinished }) => {
  const gate = await openEcho(onTestFinished)
  const sliced = await connectFrom(gate, "127.0.1.1")
  gate.set("127.0.1.1", { requests: {}, answers: { sliceBytes: 2 } })
  sliced.socket.write("abcdef")
  await until("all slices", () => sliced.text() === "abcdef")
  expect(sliced.pieces.length).toBeGreaterThan(1)

  const other = await connectFrom(gate, "127.0.1.2")
  gate.reset("127.0.1.1")
  await until("the reset", sliced.isClosed)
  other.socket.write("g")
  await until("the other's echo", () => other.text() === "g")
})
