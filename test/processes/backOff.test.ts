import { expect, it } from "vitest"
import { nextDelayMillis } from "../../src/processes/supervisor.ts"

it("a process that keeps dying early is replaced after 100 ms, then twice as late each time, up to 5 s", () => {
  const delays: Array<number> = []
  for (let i = 0; i < 8; i++) delays.push(nextDelayMillis(delays.at(-1), 20))
  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
})

it("a process that lived for 10 s is replaced after 100 ms again", () => {
  expect(nextDelayMillis(5_000, 10_000)).toBe(100)
  expect(nextDelayMillis(5_000, 9_999)).toBe(5_000)
})
