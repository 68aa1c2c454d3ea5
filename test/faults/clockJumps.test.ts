import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { expect, it, type TestContext } from "vitest"
import { clockedCommand, shiftClock } from "../support/clockJumps.ts"
import { newDataDir } from "../support/service.ts"

/** Tells the time, and what dates are, whenever it is asked by a line. */
const program = `
process.stdin.on("data", () => {
  const dates = [new Date(), new Date(0), new (class extends Date {})()]
  console.log(JSON.stringify({
    readings: [Date.now(), dates[0].getTime(), Date.parse(Date()), dates[2].getTime()],
    areDates: dates.every((date) => date instanceof Date && date.toISOString().endsWith("Z")),
    given: dates[1].getTime(),
  }))
})`

interface Told {
  readonly readings: ReadonlyArray<number>
  readonly areDates: boolean
  readonly given: number
}

const startTeller = (atEnd: TestContext["onTestFinished"], dataDir: string) => {
  const [node, ...preload] = clockedCommand.slice(0, -1)
  const child = spawn(node ?? "", [...preload, "-e", program], { env: { DATA_DIR: dataDir } })
  atEnd(() => {
    child.kill("SIGKILL")
  })
  const lines = createInterface(child.stdout)
  return {
    signal: (name: NodeJS.Signals) => {
      child.kill(name)
    },
    tell: async (): Promise<Told> => {
      const line = once(lines, "line")
      child.stdin.write("\n")
      return JSON.parse(String((await line)[0])) as Told
    },
  }
}

const isAbout = (told: Told, millis: number): boolean =>
  told.areDates &&
  told.given === 0 &&
  told.readings.every((at) => Math.abs(at - Date.now() - millis) < 600_000)

it("a process of the fault runs has the clock that was set, also when it starts again", async ({
  onTestFinished,
}) => {
  const dataDir = newDataDir()
  const first = startTeller(onTestFinished, dataDir)
  expect(isAbout(await first.tell(), 0)).toBe(true)
  for (const millis of [3_600_000, -3_600_000]) {
    shiftClock({ dataDir, ...first }, millis)
    await expect.poll(async () => isAbout(await first.tell(), millis)).toBe(true)
  }
  const second = startTeller(onTestFinished, dataDir)
  expect(isAbout(await second.tell(), -3_600_000)).toBe(true)
})
