import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { afterEach, beforeEach, expect, it } from "vitest"
import { type ApiClient, apiClient } from "./apiClient.ts"

const reply = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const lastPage = reply("200 OK", JSON.stringify({ data: ["txn"], next_cursor: null }))

/** How many requests a connection answers before it is closed on the next one. */
let answersPerConnection: number
let requests: number
/** How many requests find the service without its store. */
let refusals: number
let client: ApiClient
let close: () => Promise<void>

const serve = (socket: Socket): void => {
  let answered = 0
  socket.on("error", () => {})
  socket.on("data", () => {
    requests += 1
    if (answered === answersPerConnection) return void socket.end()
    answered += 1
    socket.write(requests > refusals ? lastPage : reply("503 Service Unavailable", "{}"))
  })
}

beforeEach(async () => {
  answersPerConnection = 1
  requests = 0
  refusals = 0
  const server = createServer(serve).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  client = apiClient(`http://127.0.0.1:${port}`, "key", 1)
  close = async () => {
    await client.close()
    await new Promise((closed) => server.close(closed))
  }
})

afterEach(() => close())

it("a GET on a kept connection that is closed as it leaves is sent once more, on another", async () => {
  expect((await client.get("/ready")).status).toBe(200)
  expect((await client.get("/ready")).status).toBe(200)
  expect(requests).toBe(3)
})

it("a GET on a new connection that is closed without an answer fails", async () => {
  answersPerConnection = 0
  await expect(client.get("/ready")).rejects.toThrow("GET /ready had no answer")
  expect(requests).toBe(1)
})

it("a POST is never sent twice", async () => {
  await client.send("POST", "/v1/transactions", { body: {} })
  await expect(client.send("POST", "/v1/transactions", { body: {} })).rejects.toThrow("had no answer")
  expect(requests).toBe(2)
})

it("a page of a list that the service cannot read now is asked for again", async () => {
  refusals = 1
  answersPerConnection = 2
  expect(await client.all("/v1/transactions")).toEqual(["txn"])
  expect(requests).toBe(2)
})
