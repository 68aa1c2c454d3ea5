import { expect, it } from "vitest"
import { handshakeCheck } from "../../src/store/redis/redisConnection.ts"

/** Checks a connection that stays in a handshake; answers after how many checks each one of its connections was cut. */
const cutsAfter = (check: () => void, cuts: () => number, count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  while (found.length < count) {
    const before = cuts()
    let checks = 0
    for (; cuts() === before; checks++) check()
    found.push(checks)
  }
  return found
}

it("a handshake that stalls is cut after a second, those that follow after two and three, and after one that ended after a second again", () => {
  let cuts = 0
  const redis = {
    status: "connect" as "connect" | "ready",
    disconnect: () => {
      cuts += 1
    },
  }
  const check = handshakeCheck(redis)
  // A check is every 250 ms.
  expect(cutsAfter(check, () => cuts, 4)).toEqual([4, 8, 12, 12])
  redis.status = "ready"
  for (let checks = 0; checks < 100; checks++) check()
  expect(cuts).toBe(4)
  redis.status = "connect"
  expect(cutsAfter(check, () => cuts, 1)).toEqual([4])
})
