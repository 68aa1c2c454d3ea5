import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { curlCommand, type SentRequest, shellQuote, signedContent } from "../../src/delivery/sentRequest.ts"
import { hasCurl, runCurl, runShell } from "../support/shell.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"

/** Texts that shells, curl or JSON would read something into. */
const trap = fc.constantFrom(
  "'",
  "'\\''",
  "\\",
  "$(x)",
  "`x`",
  "$HOME",
  "${",
  "!x",
  "\n",
  "\r\n",
  "%s",
  '"',
  "@x",
  "💸",
  "ç",
  "*",
  "~",
  "-",
  " ",
  "\t",
  "#",
  ";",
)
const text = fc
  .array(fc.oneof(trap, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 12 })
  .map((parts) => parts.join("").replaceAll("\0", ""))

describe("shellQuote", () => {
  it("a quoted text is one argument of a POSIX shell, and the very same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 20, maxLength: 60 }), async (texts) => {
        const printed = await runShell(`printf '%s\\000' ${texts.map(shellQuote).join(" ")}`)
        expect(printed.toString("utf8")).toBe(texts.map((one) => `${one}\0`).join(""))
      }),
      { numRuns: 20 },
    )
  })
})

describe("signedContent", () => {
  const headers = { "webhook-timestamp": "1700000000", "X-Signature": "t=1700000000,v1=00" }

  it("the signed content is the timestamp and the raw body, with a full stop between", () => {
    expect(signedContent({ headers, body: '{"a":"ç"}' })).toBe('1700000000.{"a":"ç"}')
  })

  it("there is no signed content of a request that was not signed, or not made", () => {
    const { "X-Signature": _, ...unsigned } = headers
    for (const sent of [unsigned, {}]) expect(signedContent({ headers: sent, body: "{}" })).toBeNull()
  })
})

const where = hasCurl ? "" : " (skipped: curl is not on the PATH)"
describe.skipIf(!hasCurl)(`curlCommand${where}`, () => {
  let receiver: TlsReceiver
  beforeAll(async () => {
    receiver = await startTlsReceiver()
  })
  afterAll(() => receiver?.close())

  /** Runs the command of a request, and returns what arrived. */
  const arrivedOf = async (request: Omit<SentRequest, "url">, path = "/hook") => {
    const count = receiver.requests.length
    await runCurl(curlCommand({ ...request, url: receiver.origin + path }), receiver.caFile)
    expect(receiver.requests.length).toBe(count + 1)
    const [arrived] = receiver.requests.slice(-1)
    if (arrived === undefined) throw new Error("nothing arrived")
    const { host, connection, "content-length": length, ...headers } = arrived.headers
    return { method: arrived.method, path: arrived.path, body: arrived.body, headers }
  }

  it.each<readonly [what: string, body: string]>([
    ["quotes of every kind", `{"a":"it's","b":"\\"","c":"\`id\` $HOME"}`],
    ["line breaks at both ends", '\n{"a":1}\r\n\n'],
    ["letters beyond ASCII", JSON.stringify({ nota: "açaí 💸 \u2028 支払い" })],
    ["the sign of a file's name", "@/etc/hostname"],
    ["nothing", ""],
    ["more than fits one argument", JSON.stringify({ a: "it's ç".repeat(40_000) })],
  ])("curl sends the same bytes again, and no header of its own: a body with %s", async (_, body) => {
    const headers = {
      "Content-Type": "application/json",
      "User-Agent": "Service-Webhooks/1.0",
      "X-Empty": "",
    }
    expect(await arrivedOf({ headers, body })).toEqual({
      ...{ method: "POST", path: "/hook", body },
      headers: { "content-type": "application/json", "user-agent": "Service-Webhooks/1.0", "x-empty": "" },
    })
  })

  it("curl sends a URL as it stands: brackets, quotes and a query", async () => {
    const path = "/a'b/[1-3]{x,y}?q=%27$HOME&r=[0]"
    const headers = { "User-Agent": "x", Accept: "***", "Content-Type": "application/json" }
    expect(await arrivedOf({ headers, body: "{}" }, path)).toMatchObject({ path, headers: { accept: "***" } })
  })
})
