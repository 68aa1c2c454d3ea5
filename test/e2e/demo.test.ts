import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import jsqr from "jsqr"
import { hasError, parsePix } from "pix-utils"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { until } from "../support/until.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Everything that the demos create goes here, so that the tests see what is left over. */
let folder: string
const children = new Set<ChildProcess>()
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "corrente-test-demo-"))
})
afterAll(() => {
  for (const child of children) child.kill("SIGTERM")
  rmSync(folder, { recursive: true, force: true })
})

const asNpmDoes = ["scripts/with-node22.mjs", "scripts/demo/main.ts"]

const startDemo = (command: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const { PATH, HOME } = process.env
  const own = mkdtempSync(join(folder, "tmp-"))
  const child = spawn(process.execPath, [...command, "--quick"], {
    cwd: root,
    // The demo must ignore a user's own settings.
    env: { PATH, HOME, TMPDIR: own, REDIS_URL: "redis://127.0.0.1:1", PORT: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  children.add(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
  }
  const ended = new Promise<number | null>((done) => {
    child.once("close", (code) => {
      children.delete(child)
      done(code)
    })
  })
  return { child, ended, output: () => output, leftOver: () => readdirSync(own) }
}

/** Whether anything listens on a port of this machine. */
const isListening = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      done(true)
    })
    socket.once("error", () => done(false))
  })

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

const portsOf = (output: string) =>
  [...output.matchAll(/(?:localhost|127\.0\.0\.1):(\d+)/g)].map(([, port]) => Number(port))

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

  it("npm run demo says why it cannot go on, and exits 1", async () => {
    const demo = startDemo(["scripts/demo/main.ts"], { PATH: "/nowhere" })
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toMatch(/The demo stopped: the service did not start:[\s\S]*redis-server/)
    expect(demo.leftOver()).toEqual([])
  })
})
