import { connect, createServer, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { startTestRedis } from "../support/redis.ts"
import { startService } from "../support/service.ts"

const undo: Array<() => unknown> = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** A way to a Redis that breaks all its connections when a command comes for the first time, as a failover does. */
const startBreakingWay = async (targetPort: number, command: string) => {
  const open = new Set<Socket>()
  const named = new RegExp(`\\r\\n${command}\\r\\n`, "i")
  const state = { breaks: 0 }
  const server = createServer((near) => {
    const far = connect({ port: targetPort, host: "127.0.0.1" })
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on("error", () => {})
      socket.once("close", () => {
        open.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on("data", (bytes) => {
      if (state.breaks === 0 && named.test(bytes.toString("latin1"))) {
        state.breaks += 1
        for (const socket of open) socket.destroy()
      } else far.write(bytes)
    })
    far.on("data", (bytes) => near.write(bytes))
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  undo.push(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  const address = server.address()
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, state }
}

describe("a start during which Redis breaks its connections", () => {
  it.each(["function", "subscribe", "hgetall"])("begins anew where %s met the break", async (command) => {
    const redis = await startTestRedis()
    undo.push(redis.stop)
    const way = await startBreakingWay(redis.port, command)
    const service = await startService({ redisUrl: `redis://127.0.0.1:${way.port}` })
    undo.push(service.stop)
    expect(way.state.breaks).toBe(1)
    expect((await fetch(`${service.url}/ready`)).status).toBe(200)
  })
})
