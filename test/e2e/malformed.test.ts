import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Meeting, meet } from "../support/malformedMeeting.ts"
import { malformedRequests } from "../support/malformedRequests.ts"
import { makeSeller, type TestSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"
import { sizes } from "../support/sizes.ts"

const seed = 21_112_026
const count = sizes.malformedRequests
const atOnce = 8

/** The status that a request gets whose head takes about so many bytes and arrives in pieces. */
const statusOfHead = async (port: number, bytes: number): Promise<number> => {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  const answer = new Promise<string>((resolve, reject) => {
    socket.once("data", (chunk) => resolve(chunk.toString("latin1")))
    socket.once("error", reject)
  })
  try {
    socket.write("GET /health HTTP/1.1\r\nHost: x\r\n")
    for (let sent = 0; sent < bytes && !socket.destroyed; sent += 1_024) {
      await new Promise((written) => socket.write(`A${sent}: ${"b".repeat(1_000)}\r\n`, written))
    }
    socket.write("\r\n")
    return Number((await answer).split(" ")[1])
  } finally {
    socket.destroy()
  }
}

const charge = {
  amount: 1_001,
  payment_method: "pix",
  customer: { name: "Ana Souza", email: "ana@example.com", document: "52998224725" },
  items: [{ name: "Livro", quantity: 1, unit_amount: 1_001 }],
}

describe("malformed requests to the whole service", () => {
  let service: Service
  let seller: TestSeller
  beforeAll(async () => {
    service = await startService()
    seller = await makeSeller(service)
  })
  afterAll(() => service?.stop())

  it(`${count} malformed requests cause no 5xx and no crash, and our errors come in the envelope`, async () => {
    const requests = malformedRequests(seed, count, {
      apiKey: seller.keys.test,
      body: charge,
    })
    const pid = service.pid
    const wrong: Array<string> = []
    const kinds = new Map<Meeting["kind"], number>()
    let next = 0
    const work = async (): Promise<void> => {
      for (let index = next++; index < requests.length; index = next++) {
        const request = requests[index]
        if (request === undefined) return
        const meeting = await meet(service.port, request)
        kinds.set(meeting.kind, (kinds.get(meeting.kind) ?? 0) + 1)
        if (meeting.kind === "wrong") wrong.push(`${request.kind}: ${JSON.stringify(meeting)}`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))

    expect(wrong).toEqual([])
    expect(kinds.get("answered")).toBeGreaterThan(count / 2)
    expect(service.pid).toBe(pid)
    const probe = await fetch(`${service.url}/ready`)
    expect(probe.status).toBe(200)
    expect(service.log()).not.toMatch(/ERROR|died/)
  })

  it("a request whose head of 15 KiB comes in pieces is answered, and one of more than 16 KiB is refused with 431", async () => {
    expect(await statusOfHead(service.port, 15 * 1_024)).toBe(200)
    expect(await statusOfHead(service.port, 17 * 1_024)).toBe(431)
  })
})
