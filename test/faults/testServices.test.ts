import { expect, it, vi } from "vitest"
import { freeTestPort, keepPort } from "../support/ports.ts"
import { startService } from "../support/service.ts"

it("a port of a test stays its process's until that ends", async () => {
  const port = await freeTestPort()
  expect(keepPort(port)).toBe(false)
  const dead = { pid: process.pid, startedAt: "before" }
  // No port, so that it is nobody else's.
  const left = 100_000 + process.pid
  expect(keepPort(left, dead)).toBe(true)

  // The first look removes what a dead process left, the next takes the port.
  expect([keepPort(left), keepPort(left, dead)]).toEqual([false, true])
  expect(keepPort(left, dead)).toBe(false)
})

it("a service that is stopped after a failed test prints the ends of its logs, and of others nothing", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => {})
  const finished = (state: string) => ({ task: { name: "a kill", result: { state } } })
  try {
    for (const [state, count] of [
      ["pass", 0],
      ["fail", 1],
    ] as const) {
      const service = await startService()
      await service.stop(finished(state))
      expect(printed).toHaveBeenCalledTimes(count)
    }
    const text = String(printed.mock.calls[0]?.[0])
    expect(text).toContain('"a kill" failed')
    expect(text).toMatch(/is listening on http/)
    expect(text).toContain("Ready to accept connections")
  } finally {
    printed.mockRestore()
  }
})
