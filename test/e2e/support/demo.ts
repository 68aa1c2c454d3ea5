import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { loadingCache } from "../../support/loadingCache.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The command of `npm run demo`. */
export const asNpmDoes = ["scripts/with-node22.mjs", "scripts/demo/main.ts"]

/** Runs demos. Everything that they create goes to one folder, so that tests see what is left over; `close` removes it. */
export const openDemos = () => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-test-demo-"))
  /** Demos that run, each with its end. */
  const running = new Map<ChildProcess, Promise<unknown>>()

  const startDemo = (command: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
    const { PATH, HOME } = process.env
    const own = mkdtempSync(join(folder, "tmp-"))
    const child = spawn(process.execPath, [...command, "--quick"], {
      cwd: root,
      // The demo must ignore a user's own settings.
      env: { PATH, HOME, TMPDIR: own, REDIS_URL: "redis://127.0.0.1:1", PORT: "1", ...loadingCache, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    }
    const ended = new Promise<number | null>((done) => {
      child.once("close", (code) => {
        running.delete(child)
        done(code)
      })
    })
    running.set(child, ended)
    return { child, ended, output: () => output, leftOver: () => readdirSync(own) }
  }

  const close = async () => {
    for (const child of running.keys()) child.kill("SIGTERM")
    await Promise.all(running.values())
    rmSync(folder, { recursive: true, force: true })
  }
  return { startDemo, close }
}

/** Whether anything listens on a port of this machine. */
export const isListening = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      done(true)
    })
    socket.once("error", () => done(false))
  })

/** The ports of this machine that a text names. */
export const portsOf = (output: string) =>
  [...output.matchAll(/(?:localhost|127\.0\.0\.1):(\d+)/g)].map(([, port]) => Number(port))
