import { expect, it } from "vitest"
import { faultNames } from "./kinds.ts"
import { readOptions, usage } from "./options.ts"

it("without options a run plays all faults for half an hour, by a seed of its own", () => {
  const one = readOptions([])
  expect(one).toMatchObject({
    minutes: 30,
    names: faultNames,
    services: 4,
    sellers: 200,
    writes: 200,
    followers: 100,
  })
  expect(one?.seed).not.toBe(readOptions([])?.seed)
})

it("a run plays what it is asked for", () => {
  const args = ["--seed", "7", "--minutes=12", "--only", "kill-service,clock-jumps", "--redis", "cluster"]
  expect(readOptions(args)).toMatchObject({
    seed: 7,
    minutes: 12,
    names: ["kill-service", "clock-jumps"],
    redis: "cluster",
  })
})

it("help is asked for, and names every option and fault", () => {
  expect(readOptions(["--seed", "7", "--help"])).toBeUndefined()
  for (const word of ["--seed N", "--minutes N", "--only a,b", ...faultNames]) expect(usage).toContain(word)
})

it.for([
  [["--minutes", "0"], "--minutes must be a whole number of 1 or more"],
  [["--seed", "seven"], "--seed must be a whole number of 0 or more"],
  [["--seed="], "--seed must be a whole number of 0 or more"],
  [["--only", "kill-service,fire"], "There is no fault fire"],
  [["--redis", "one"], "--redis must be sentinels or cluster"],
  [["--hours", "1"], "Unknown option '--hours'"],
] as const)("wrong options are refused in words: %s", ([args, words]) => {
  expect(() => readOptions(args)).toThrow(words)
})
