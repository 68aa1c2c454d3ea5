import { it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { describe, expect } from "vitest"
import { tellFailed, tellPosted } from "../../cli/listening.ts"
import { makeOutput, Output } from "../../cli/output.ts"
import { PostFailed } from "../../cli/receiver.ts"
import { brokenText, chargeText, eventText, gapText } from "../../cli/texts.ts"
import type { Event } from "../../client/src/index.ts"
import { runCli } from "./support/runCli.ts"

/** All C0 and C1 controls and DEL, an escape sequence in 7 and in 8 bits, and a change of direction. */
const controls = Array.from({ length: 0xa0 }, (_, code) => (code < 0x20 || code >= 0x7f ? code : 0x20))
const hostile = `\u001b[2J\u009b31m\u001b]0;title\u0007\u202e${String.fromCharCode(...controls)}`
const isObeyed = /[\p{Cc}\u202a-\u202e]/u

const event = {
  id: `evt_${hostile}`,
  type: `transaction.${hostile}`,
  seq: 1,
  created_at: "2026-11-21T12:04:00.000Z",
  data: { object: { id: hostile, status: hostile } },
} as unknown as Event
const failure = new PostFailed({ error: "http_500", statusCode: 500, millis: 1, excerpt: hostile })

/** What is printed, line by line. */
const printed = (argv: ReadonlyArray<string>, told: Effect.Effect<void, never, Output>) => {
  const lines: Array<string> = []
  const console: Console.Console = Object.assign(Object.create(globalThis.console), {
    log: (text: string) => lines.push(...text.split("\n")),
  })
  return told.pipe(
    Effect.provideService(Output, makeOutput(argv, { environment: {}, isTerminal: false })),
    Effect.provideService(Console.Console, console),
    Effect.as(lines),
  )
}

describe("texts of receivers and of events in a terminal", () => {
  it.effect.each([
    ["an answered post", tellPosted(event, 1, { statusCode: 200, millis: 1 })],
    ["a failed post", tellFailed(event, 1, failure, "not repeated")],
  ] as const)("%s is told without the controls of its receiver and event, in words and as JSON", ([, told]) =>
    Effect.gen(function* () {
      for (const argv of [[], ["--json"]]) {
        const lines = yield* printed(argv, told)
        expect(lines.join("")).toContain("\\u001b[2J")
        for (const line of lines) expect(line).not.toMatch(isObeyed)
      }
      const [json = ""] = yield* printed(["--json"], tellFailed(event, 1, failure, "not repeated"))
      expect(JSON.parse(json)).toMatchObject({ event_id: event.id, event_type: event.type, excerpt: hostile })
    }),
  )

  it("lines about events, gaps, charges and connections have no controls", () => {
    const output = makeOutput([], { environment: {}, isTerminal: false })
    const charge = { id: hostile, amount: 1, status: hostile, expires_at: hostile }
    const gap = { type: "replay_gap", requested: `evt_${hostile}`, oldest_event_id: hostile }
    const broken = { isOpen: false, retryMillis: 1, error: { code: hostile } }
    for (const text of [
      eventText(output, event),
      gapText(gap as unknown as Parameters<typeof gapText>[0]),
      chargeText(output, charge as unknown as Parameters<typeof chargeText>[1]),
      brokenText(broken as unknown as Parameters<typeof brokenText>[0]),
    ]) {
      expect(text).not.toMatch(isObeyed)
      expect(text).toContain("\\u001b[2J")
    }
  })

  it("a failure is told without controls", async () => {
    const { stderr } = await runCli(["events", `--base-url=ftp://${hostile}`, "--types", hostile], {
      CORRENTE_API_KEY: "sk_test_1",
    })
    expect(stderr.trimEnd()).not.toMatch(isObeyed)
  })
})
