import { describe, expect, it } from "@effect/vitest"
import { type Meeting, meet } from "../support/malformedMeeting.ts"
import { malformedRequests } from "../support/malformedRequests.ts"
import { goodCharge, goodKey, inFixture } from "./fixture.ts"

const seed = 20_261_121
const count = 2_000
const atOnce = 8

describe("malformed requests", () => {
  it.live(
    "2,000 malformed requests get no 5xx: each answer is in the envelope or is uWebSockets.js' own",
    inFixture(async ({ server, logs }) => {
      const requests = malformedRequests(seed, count, { apiKey: goodKey, body: goodCharge })
      expect(requests).toHaveLength(count)
      const meetings: Array<Meeting> = []
      let next = 0
      const work = async (): Promise<void> => {
        for (let index = next++; index < requests.length; index = next++) {
          const request = requests[index]
          if (request === undefined) return
          const meeting = await meet(server.port, request)
          meetings.push(meeting)
          expect(
            meeting.kind,
            `${request.kind}: ${JSON.stringify(meeting)}\n${Buffer.concat(request.pieces).toString("latin1").slice(0, 2_000)}`,
          ).not.toBe("wrong")
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      expect(logs).toEqual([])
      const countOf = (kind: Meeting["kind"]) => meetings.filter((meeting) => meeting.kind === kind).length
      // The generator reaches our code and the parser's, and makes requests that never end.
      expect(countOf("answered")).toBeGreaterThan(count / 2)
      expect(countOf("refused")).toBeGreaterThan(50)
      expect(countOf("silent")).toBeGreaterThan(50)
      const statuses = new Set(
        meetings.flatMap((meeting) => (meeting.kind === "answered" ? meeting.statuses : [])),
      )
      expect([...statuses].sort()).toEqual([200, 201, 202, 400, 401, 404, 405, 411, 413, 415])
    }),
  )

  it("malformed requests are the same for the same seed", () => {
    const options = { apiKey: goodKey, body: goodCharge }
    expect(malformedRequests(7, 50, options)).toEqual(malformedRequests(7, 50, options))
    expect(malformedRequests(7, 50, options)).not.toEqual(malformedRequests(8, 50, options))
  })
})
