import { Redacted } from "effect"
import jsqr from "jsqr"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { describe, expect, it } from "vitest"
import { parseSeconds } from "../../cli/durations.ts"
import { hasColours } from "../../cli/output.ts"
import { qrPicture } from "../../cli/qrPicture.ts"
import { signingSecretOf } from "../../cli/signingSecret.ts"
import { gapText } from "../../cli/texts.ts"
import { triggeredTypes } from "../../cli/triggers.ts"
import { eventTypeOf } from "../../schema/events.ts"
import { signAttempt } from "../../src/delivery/signature.ts"
import { runCli } from "./support/runCli.ts"

const key = { CORRENTE_API_KEY: "sk_test_1" }
/** Nobody listens there. */
const nobody = { ...key, CORRENTE_BASE_URL: "http://127.0.0.1:9" }

/** Runs it twice, for people and for machines: exit code and message must be the same. */
const failureOf = async (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) => {
  const people = await runCli(args, environment)
  const machines = await runCli([...args, "--json"], environment)
  const [object] = machines.objects()
  const { code, message, param } = (object?.error ?? {}) as Readonly<Record<string, string>>
  expect([people.stdout, machines.stderr]).toEqual(["", ""])
  expect(people.stderr).toContain(`Error: ${message}`)
  expect([people.exitCode, object?.exit_code]).toEqual([machines.exitCode, machines.exitCode])
  return { exitCode: machines.exitCode, code, param, message: message ?? "" }
}

describe("durations", () => {
  it("durations are numbers with units, and sums of them; anything else is none", () => {
    const texts = ["90s", "15m", "2h", "1d", "1d12h", "366d"]
    expect(texts.map(parseSeconds)).toEqual([90, 900, 7_200, 86_400, 129_600, 31_622_400])
    for (const wrong of ["", "90", "0s", "1w", "-1d", "1.5h", "d", "1d ", "1D", "1d-2h", "9999999999s"]) {
      expect(parseSeconds(wrong), wrong).toBeUndefined()
    }
  })
})

describe("the signing secret", () => {
  const secret = signingSecretOf(Redacted.make("sk_test_1"))

  it("the signing secret of a key stays the same in every version", () => {
    expect(secret).toBe("whsec_97udDzSbARBNQn6d21d0ucE2j6df5zXS0WB3QDYAu2o")
  })

  it("the signing secret differs by key, has the form of an endpoint's, and both libraries verify with it", () => {
    expect(signingSecretOf(Redacted.make("sk_test_2"))).not.toBe(secret)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9]{42}[AEIMQUYcgkosw048]$/)
    const body = `{"id":"evt_1"}`
    const timestampSeconds = Math.floor(Date.now() / 1_000)
    const signed = signAttempt({ secrets: [secret], eventId: "evt_1", timestampSeconds, body })
    expect(Stripe.webhooks.constructEvent(body, signed?.xSignature ?? "", secret).id).toBe("evt_1")
    const headers = {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(timestampSeconds),
      "webhook-signature": signed?.webhookSignature ?? "",
    }
    expect(new Webhook(secret).verify(body, headers)).toEqual({ id: "evt_1" })
  })

  it("listen --print-secret prints it alone, without a service", async () => {
    const { exitCode, stdout } = await runCli(["listen", "--print-secret"], nobody)
    expect([exitCode, stdout]).toEqual([0, `${secret}\n`])
    const { objects } = await runCli(["listen", "--print-secret", "--json"], nobody)
    expect(objects()).toEqual([{ line: "secret", secret }])
  })
})

describe("the QR code in a terminal", () => {
  it("the QR code in a terminal is one that a phone reads", () => {
    const text =
      "00020101021226580014br.gov.bcb.pix2536pix.corrente.test/qr/v2/0123456789abcdef5204000053039865802BR"
    const lines = qrPicture(text, false)
    const modulePixels = 4
    const width = (lines[0]?.length ?? 0) * modulePixels
    const height = 2 * lines.length * modulePixels
    const pixels = new Uint8ClampedArray(4 * width * height).fill(255)
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const row = Math.floor(y / modulePixels)
        const character = lines[row >> 1]?.[Math.floor(x / modulePixels)]
        const isLight = character === "█" || character === (row % 2 === 0 ? "▀" : "▄")
        pixels.fill(isLight ? 255 : 0, 4 * (y * width + x), 4 * (y * width + x) + 3)
      }
    }
    expect(jsqr.default(pixels, width, height)?.data).toBe(text)
    expect(qrPicture(text, true)[0]).toContain("\u001b[38;5;231;48;5;16m")
  })
})

describe("colours", () => {
  it("colours are for terminals, unless NO_COLOR, TERM or FORCE_COLOR say otherwise", () => {
    const is = (isTerminal: boolean, environment: Readonly<Record<string, string>> = {}) =>
      hasColours({ isTerminal, environment })
    expect([is(true), is(false)]).toEqual([true, false])
    expect([is(true, { NO_COLOR: "1" }), is(true, { NO_COLOR: "" })]).toEqual([false, true])
    expect([is(true, { TERM: "dumb" }), is(false, { FORCE_COLOR: "1" })]).toEqual([false, true])
    expect([is(true, { FORCE_COLOR: "0" }), is(true, { NO_COLOR: "1", FORCE_COLOR: "1" })]).toEqual([
      false,
      false,
    ])
  })

  it("errors and help have colours on a terminal, and none elsewhere", async () => {
    const escape = "\u001b["
    for (const args of [["listen"], ["--help"]]) {
      const on = await runCli(args, {}, true)
      const off = await runCli(args, { NO_COLOR: "1" }, true)
      expect((on.stdout + on.stderr).includes(escape), args.join(" ")).toBe(true)
      expect((off.stdout + off.stderr).includes(escape), args.join(" ")).toBe(false)
    }
  })
})

describe("a gap", () => {
  it("a gap is said in words", () => {
    const gap = { type: "replay_gap", requested: "evt_1", oldest_event_id: "evt_5" } as const
    expect(gapText(gap)).toBe(
      "Events after evt_1 are missing: the service no longer keeps them, or does not know this id. It goes on with the oldest one kept, evt_5.",
    )
    expect(gapText({ ...gap, requested: "0", oldest_event_id: null })).toContain("since the start")
  })
})

describe("help", () => {
  it("help names every command, and --help after one explains its flags", async () => {
    const help = await runCli(["help"])
    expect([help.exitCode, help.stderr]).toEqual([0, ""])
    for (const name of [
      "listen",
      "trigger",
      "resend",
      "events",
      "charge",
      "advance",
      "--api-key",
      "--base-url",
    ]) {
      expect(help.stdout).toContain(name)
    }
    const listen = await runCli(["listen", "--help"])
    for (const flag of ["--forward-to", "--events", "--since", "--internal", "--retry"]) {
      expect(listen.stdout).toContain(flag)
    }
    expect((await runCli(["charge", "create", "--help"])).stdout).toContain("--amount")
    expect((await runCli(["--version"])).stdout).toContain("0.1.0")
  })

  it.each(["bash", "zsh", "fish"])("completions for %s name commands, flags and types", async (shell) => {
    const { exitCode, stdout } = await runCli(["--completions", shell])
    expect(exitCode).toBe(0)
    for (const word of ["corrente", "listen", "forward-to", "transaction.paid"])
      expect(stdout).toContain(word)
  })
})

describe("a command line that is wrong", () => {
  const usage = (param: string | undefined) => ({ exitCode: 2, code: "usage", param })
  const forward = ["--forward-to", "http://localhost:4000"]

  it.each([
    [[], "command", "listen, trigger, resend, events, charge create, advance"],
    [["lisen"], "command", "There is no command lisen"],
    [["charge"], "command", "charge create"],
    [["listen"], "forward-to", "--forward-to is missing"],
    [["listen", "--forward-to", "localhost:4000"], "forward-to", "such as http://localhost:4000"],
    [
      ["listen", ...forward, "--events", "transaction.payd"],
      "events",
      "Known: transaction.created, transaction.paid",
    ],
    [["listen", ...forward, "--events", "transaction.created"], "events", "with --internal only"],
    [["listen", ...forward, "--since", "txn_1"], "since", "evt_…"],
    [["listen", ...forward, "--forward", "x"], undefined, "--forward"],
    [["trigger"], "type", "TYPE is missing"],
    [["trigger", "transaction.payd"], "type", "transaction.chargeback"],
    [["trigger", "seller.updated"], "type", "withdrawal.successful"],
    [["resend", "txn_1", ...forward], "event", "evt_…"],
    [["events", "--types", "nothing.*"], "types", "Known: "],
    [["events", "--limit", "101"], "limit", "from 0 to 100"],
    [["events", "--limit", "-1"], "limit", "from 0 to 100"],
    [["charge", "create"], "amount", "--amount is missing"],
    [["charge", "create", "--amount", "12,90"], "amount", "12,90"],
    [["charge", "create", "--amount", "100", "--expires-in", "5"], "expires-in", "with its unit"],
    [["advance", "1w"], "duration", "90s"],
    [["advance", "367d"], "duration", "at most 366d"],
    [["events", "--base-url", "ftp://pay.example"], "base-url", "http or https"],
  ] as const)("%j exits 2, and its error says what is wrong", async (args, param, text) => {
    const failure = await failureOf(args, key)
    expect(failure).toMatchObject(usage(param))
    expect(failure.message).toContain(text)
  })
})

describe("a key that will not do", () => {
  it("no key exits 3 and says how to get one", async () => {
    for (const environment of [{}, { CORRENTE_API_KEY: "" }]) {
      const failure = await failureOf(["events"], environment)
      expect(failure).toMatchObject({ exitCode: 3, code: "missing_api_key", param: "api-key" })
      expect(failure.message).toContain("ops -- seller create")
    }
  })

  it("what is no key exits 3, and is not repeated", async () => {
    const failure = await failureOf(["events", "--api-key", "hunter2"], {})
    expect(failure).toMatchObject({ exitCode: 3, code: "invalid_api_key" })
    expect(failure.message).not.toContain("hunter2")
  })

  it("a live key exits 3 for what is of test mode alone, before anything is called", async () => {
    const live = { ...nobody, CORRENTE_API_KEY: "sk_live_1" }
    for (const args of [
      ["trigger", "transaction.paid"],
      ["advance", "1d"],
    ]) {
      expect(await failureOf(args, live)).toMatchObject({ exitCode: 3, code: "live_key" })
    }
  })

  it("a charge under a live key needs its customer", async () => {
    const live = { ...nobody, CORRENTE_API_KEY: "sk_live_1" }
    const args = ["charge", "create", "--amount", "100", "--name", "Ana Souza"]
    expect(await failureOf(args, live)).toMatchObject({ exitCode: 2, param: "email" })
  })
})

describe("a service that is away", () => {
  it("a service that is away exits 4 and says how to start one", async () => {
    const failure = await failureOf(["events"], nobody)
    expect(failure).toMatchObject({ exitCode: 4, code: "network_error" })
    expect(failure.message).toContain("No Corrente answers at http://127.0.0.1:9. Start one with `npm start`")
  })
})

describe("trigger", () => {
  it("trigger makes types of the catalog only", () => {
    expect(triggeredTypes.filter((type) => eventTypeOf(type) === undefined)).toEqual([])
  })
})
