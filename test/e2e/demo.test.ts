import { stripVTControlCharacters } from "node:util"
import jsqr from "jsqr"
import { hasError, parsePix } from "pix-utils"
import { afterAll, describe, expect, it } from "vitest"
import { until } from "../support/until.ts"
import { asNpmDoes, isListening, openDemos, portsOf } from "./support/demo.ts"

const demos = openDemos()
const { startDemo } = demos
afterAll(demos.close)

/** Scans a drawn QR code as a phone does from a dark terminal: drawn cells are light, blank ones dark. */
const scan = (lines: ReadonlyArray<string>): string | undefined => {
  const width = lines[0]?.length ?? 0
  const scale = 4
  const side = { x: width * scale, y: lines.length * 2 * scale }
  const pixels = new Uint8ClampedArray(4 * side.x * side.y)
  for (let y = 0; y < side.y; y++) {
    for (let x = 0; x < side.x; x++) {
      const row = Math.floor(y / scale)
      const character = lines[row >> 1]?.[Math.floor(x / scale)]
      const isLight = character === "█" || character === (row % 2 === 0 ? "▀" : "▄")
      pixels.fill(isLight ? 255 : 0, 4 * (y * side.x + x), 4 * (y * side.x + x) + 3)
      pixels[4 * (y * side.x + x) + 3] = 255
    }
  }
  return jsqr.default(pixels, side.x, side.y, { inversionAttempts: "dontInvert" })?.data
}

const pictureOf = (output: string): ReadonlyArray<string> =>
  stripVTControlCharacters(output)
    .split("\n")
    .map((line) => line.slice(3))
    .filter((line) => /^[█▀▄ ]{40,}$/.test(line))

describe("npm run demo", () => {
  it("npm run demo tells the story to its end, exits 0 and leaves nothing behind", async () => {
    const demo = startDemo(asNpmDoes)
    const code = await demo.ended
    const output = demo.output()
    expect([code, code === 0 ? "" : output]).toEqual([0, ""])
    // Piped: no colours, no other control characters.
    expect(stripVTControlCharacters(output)).toBe(output)
    for (const line of [
      /✓ the service listens on http:\/\/localhost:\d+/,
      /✓ the seller sel_\w{26}/,
      /✓ the stream is open and ready/,
      /✓ 201 txn_\w+…, pending/,
      /\/events +transaction\.created +seq 1 /,
      /\/events +transaction\.paid +seq 2 /,
      /✓ received transaction\.paid/,
      /✓ the standardwebhooks library verifies it/,
      /✓ and rejects it with one digit of the amount changed/,
      /✗ attempt 1 +failed +http_500/,
      /✗ attempt 2 +failed +http_503/,
      /✓ attempt 3 +success/,
      /✓ the client reconnected by itself, with Last-Event-ID: evt_\w{26}/,
      /✓ seq 1 to 8, each once: nothing lost, nothing repeated/,
      /redis-cli -u \$\(cat '\S+\/redis\/address'\) XREVRANGE 'events:\{p\d\d\}:sel_\w{26}:test'/,
      /DATA_DIR='\S+\/corrente-demo-\w+' npm run --silent ops -- streams sel_\w{26}\n/,
      /The end\./,
    ]) {
      expect(output).toMatch(line)
    }
    const payload = /^ {3}(000201\w.*)$/m.exec(output)?.[1] ?? ""
    expect(hasError(parsePix(payload))).toBe(false)
    expect(scan(pictureOf(output))).toBe(payload)

    expect(demo.leftOver()).toEqual([])
    const ports = portsOf(output)
    expect(ports.length).toBeGreaterThan(2)
    expect(await Promise.all(ports.map(isListening))).toEqual(ports.map(() => false))
  })

  it("npm run demo stops cleanly on Ctrl-C, even with colours", async () => {
    const demo = startDemo(asNpmDoes, { FORCE_COLOR: "1" })
    await until("the picture", () => demo.output().includes("pix.payload"))
    const [port = 0] = portsOf(demo.output())
    expect(await isListening(port)).toBe(true)
    demo.child.kill("SIGINT")
    expect(await demo.ended).toBe(0)
    expect(demo.output()).toContain("Stopped; nothing is left behind.")
    expect(demo.leftOver()).toEqual([])
    expect(await isListening(port)).toBe(false)
    // White on black, whatever the terminal's own colours are.
    const picture = pictureOf(demo.output())
    expect(picture.length).toBeGreaterThan(20)
    for (const line of picture) {
      expect(demo.output()).toContain(`   \u001b[38;5;231;48;5;16m${line}\u001b[0m\n`)
    }
  })

  it("npm run demo stops cleanly on SIGTERM", async () => {
    const demo = startDemo(asNpmDoes)
    await until("the picture", () => demo.output().includes("pix.payload"))
    const [port = 0] = portsOf(demo.output())
    demo.child.kill("SIGTERM")
    expect(await demo.ended).toBe(0)
    expect(demo.leftOver()).toEqual([])
    expect(await isListening(port)).toBe(false)
  })

  it("npm run demo stops and leaves nothing behind once nobody reads what it says", async () => {
    const demo = startDemo(asNpmDoes)
    await until("the picture", () => demo.output().includes("pix.payload"))
    const [port = 0] = portsOf(demo.output())
    // As a terminal does that is closed, or `head` at its last line.
    demo.child.stdout.destroy()
    demo.child.stderr.destroy()
    await demo.ended
    expect(demo.leftOver()).toEqual([])
    expect(await isListening(port)).toBe(false)
  })

  it("npm run demo says why it cannot go on, and exits 1", async () => {
    const demo = startDemo(["scripts/demo/main.ts"], { PATH: "/nowhere" })
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toMatch(/The demo stopped: the service did not start:[\s\S]*redis-server/)
    expect(demo.leftOver()).toEqual([])
  })
})

describe("npm run demo -- --live-partner", () => {
  it("npm run demo -- --live-partner tells of five incidents, exits 0 and leaves nothing behind", async () => {
    const demo = startDemo([...asNpmDoes, "--live-partner"])
    const code = await demo.ended
    const output = demo.output()
    expect([code, code === 0 ? "" : output]).toEqual([0, ""])
    expect(stripVTControlCharacters(output)).toBe(output)
    // In this order: each incident is told from its beginning to its end.
    const told = [
      /✓ a bank that speaks API Pix, with mutual TLS, at https:\/\/localhost:\d+\/v2/,
      /✓ the service listens on http:\/\/localhost:\d+, with LIVE_ACQUIRER=api-pix/,
      /✓ the shop Loja da Ana, sel_\w{26}/,

      /2\. A lost notice/,
      /✓ 201 txn_\w+…, R\$ 129,90, pending/,
      /bank +the customer pays R\$ 129,90: E\w{31}/,
      /✗ the bank's notice is lost/,
      /before +the bank holds R\$ 129,90 ≠ available R\$ 0,00: R\$ 129,90 not booked/,
      /\/events +transaction\.paid +seq 2 /,
      /✓ found and paid, with 0 notices in the inbox/,
      /after +the bank holds R\$ 129,90 = available R\$ 129,90\n/,

      /3\. A double payment/,
      /bank +the customer pays R\$ 129,90 again: E\w{31}/,
      /\/events +transaction\.exception +seq 3 /,
      /✗ exc_\w+… double_payment, R\$ 129,90, open/,
      /before +the bank holds R\$ 259,80 = available R\$ 129,90 \+ open exceptions R\$ 129,90\n/,
      /POST \/v1\/admin\/exceptions\/exc_\w{26}\/resolve \{"act":"refund"/,
      /bank +sends R\$ 129,90 back to the customer: E\w{31}/,
      /\/events +transaction\.exception +seq 4 /,
      /✓ exc_\w+… double_payment, resolved by refund/,
      /after +the bank holds R\$ 129,90 = available R\$ 129,90\n/,

      /4\. A payment taken back/,
      /bank +the customer pays R\$ 129,90 again: E\w{31}/,
      /\/events +transaction\.exception +seq 5 /,
      /✗ exc_\w+… double_payment, R\$ 129,90, open/,
      /POST \/v1\/admin\/exceptions\/exc_\w{26}\/resolve \{"act":"credit"/,
      /✓ exc_\w+… double_payment, resolved by credit/,
      /bank +the payer complained of fraud: R\$ 129,90 goes back\. No notice/,
      /before +the bank holds R\$ 129,90 ≠ available R\$ 259,80: -R\$ 129,90 not booked\n/,
      /✗ exc_\w+… payment_returned, R\$ 129,90, open/,
      /found +the bank holds R\$ 129,90 = available R\$ 259,80 \+ open exceptions -R\$ 129,90\n/,
      /POST \/v1\/admin\/exceptions\/exc_\w{26}\/resolve \{"act":"debit"/,
      /\/events +exception\.debited +seq 7 /,
      /✓ exc_\w+… payment_returned, resolved by debit/,
      /after +the bank holds R\$ 129,90 = available R\$ 129,90\n/,

      /5\. A returned payout/,
      /✓ 201 wd_\w+…, R\$ 100,00 and a fee of R\$ 1,00, awaiting/,
      /POST \/v1\/admin\/withdrawals\/wd_\w{26}\/approve/,
      /\/events +withdrawal\.successful +seq 11 /,
      /before +the bank holds R\$ 29,90 = available R\$ 28,90 \+ fees R\$ 1,00\n/,
      /bank +the receiver's bank gives R\$ 100,00 back/,
      /\/events +withdrawal\.returned +seq 12 /,
      /✓ credited by itself: status successful, returned_amount R\$ 100,00/,
      /after +the bank holds R\$ 129,90 = available R\$ 128,90 \+ fees R\$ 1,00\n/,

      /6\. A contradicted payout/,
      /✓ 201 wd_\w+…, R\$ 50,00 and a fee of R\$ 1,00, awaiting/,
      /bank +says NAO_REALIZADO/,
      /\/events +withdrawal\.failed +seq 16 /,
      /bank +its list has the R\$ 50,00 as paid after all: E\w{31}/,
      /bank +its query of this one payout answers 404/,
      /before +the bank holds R\$ 79,90 ≠ available R\$ 128,90 \+ fees R\$ 1,00: -R\$ 50,00 not booked\n/,
      /✗ the sweep is not complete: corrente_sweeps_total\{outcome="incomplete"\} \d/,
      /✗ exc_\w+… payout_contradicted, R\$ 50,00, open/,
      /The withdrawal is failed here and paid there\./,
      /found +the bank holds R\$ 79,90 = available R\$ 128,90 \+ fees R\$ 1,00 \+ open exceptions -R\$ 50,00\n/,
      /✗ GET \/v1\/admin\/health: payouts are frozen, 1 open exception of payouts/,
      /POST \/v1\/admin\/exceptions\/exc_\w{26}\/resolve \{"act":"debit"/,
      /\/events +withdrawal\.debited +seq 17 /,
      /✓ exc_\w+… payout_contradicted, resolved by debit/,
      /✓ GET \/v1\/admin\/health: payouts are not frozen/,
      /after +the bank holds R\$ 79,90 = available R\$ 77,90 \+ fees R\$ 2,00\n/,

      /7\. Every centavo is accounted for/,
      /The bank received R\$ 389,70 and sent R\$ 259,80 back; it paid R\$ 150,00 out, and R\$ 100,00 came back\./,
      /✓ it holds R\$ 79,90: R\$ 77,90 of the shop and R\$ 2,00 of fees; no exception is open/,
      /npm run --silent ops -- audit verify --full/,
      /✓ the audit recomputed everything: 1 charge, 2 withdrawals, \d ledger entries, 17 events; no difference/,
      /The end\./,
    ]
    let left = output
    for (const line of told) {
      const at = left.search(line)
      expect([line, at >= 0 ? "" : left]).toEqual([line, ""])
      left = left.slice(at)
    }

    expect(demo.leftOver()).toEqual([])
    const ports = portsOf(output)
    expect(ports.length).toBe(2)
    expect(await Promise.all(ports.map(isListening))).toEqual([false, false])
  })
})

describe("the demo's flags", () => {
  it("npm run demo refuses a flag that it does not have, and lists those it has", async () => {
    const demo = startDemo(["scripts/demo/main.ts", "--live-parnter"])
    expect(await demo.ended).toBe(2)
    expect(demo.output()).toMatch(/^There is no flag --live-parnter\.\n\nUsage: npm run demo -- /)
    expect(demo.leftOver()).toEqual([])
  })

  it("npm run demo -- --help lists the flags and starts nothing", async () => {
    const demo = startDemo(["scripts/demo/main.ts", "--help"])
    expect(await demo.ended).toBe(0)
    expect(demo.output()).toMatch(/^Usage: npm run demo -- /)
    expect(demo.leftOver()).toEqual([])
  })
})
