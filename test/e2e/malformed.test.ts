import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Meeting, meet } from "../support/malformedMeeting.ts"
import { malformedRequests } from "../support/malformedRequests.ts"
import { makeSeller, type TestSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"

const seed = 21_112_026
const count = 2_000
const atOnce = 8

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

  it("2,000 malformed requests cause no 5xx and no crash, and our errors come in the envelope", async () => {
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
})
