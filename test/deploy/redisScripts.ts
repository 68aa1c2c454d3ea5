import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freeTestPort } from "../support/ports.ts"

const folders = new Set<string>()
const children = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL")
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const newFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `corrente-${name}-`))
  folders.add(folder)
  return folder
}

/** The path of a script with which containers start Redis. */
export const redisScript = (name: string): string =>
  fileURLToPath(new URL(`../../deploy/kubernetes/redis/${name}`, import.meta.url))

let entryPoint: string | undefined

/** A folder for PATH with the entry point that Redis' image has, which ends in `exec "$@"`. */
export const entryPointFolder = (): string => {
  if (entryPoint === undefined) {
    entryPoint = newFolder("entry-point")
    writeFileSync(join(entryPoint, "docker-entrypoint.sh"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
  }
  return entryPoint
}

/** One container of a set: a server of Redis or a Sentinel, with its volume. */
export interface SetMember {
  readonly port: number
  readonly log: () => string
  readonly start: () => void
  /** Completes when it has ended; its volume stays. */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<void>
  readonly emptyVolume: () => void
  /** Whether the probe of servers lets the member be ready. */
  readonly isReady: () => Promise<boolean>
}

const makeMember = (
  script: string,
  port: number,
  settings: Readonly<Record<string, string>>,
  passwordFile: string,
): SetMember => {
  const volume = newFolder("volume")
  const env = {
    PATH: `${entryPointFolder()}:${process.env.PATH}`,
    ...{ DATA: volume, REDIS_PASSWORD_FILE: passwordFile },
    ...settings,
  }
  let child: ChildProcess | undefined
  let log = ""
  const start = () => {
    const started = spawn("/bin/sh", [redisScript(script)], { env, stdio: ["ignore", "pipe", "pipe"] })
    child = started
    children.add(started)
    started.once("exit", () => children.delete(started))
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        log += text
      })
  }
  return {
    port,
    log: () => log,
    start,
    end: async (signal) => {
      const ending = child
      if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
      const gone = new Promise((done) => ending.once("exit", done))
      ending.kill(signal)
      await gone
    },
    emptyVolume: () => {
      rmSync(volume, { recursive: true, force: true })
      mkdirSync(volume)
    },
    isReady: () =>
      new Promise((done) => {
        const probe = spawn("/bin/sh", [redisScript("is-ready.sh")], { env, stdio: "ignore" })
        probe.once("exit", (code) => done(code === 0))
      }),
  }
}

/** Three servers and three Sentinels, as containers run them; not started yet. */
export interface RedisSet {
  /** The one that members start with. */
  readonly password: () => string
  readonly setPassword: (password: string) => void
  readonly servers: ReadonlyArray<SetMember>
  readonly sentinels: ReadonlyArray<SetMember>
  /** Ends all and removes their volumes. */
  readonly stop: () => Promise<void>
}

export const makeRedisSet = async (): Promise<RedisSet> => {
  const passwordFile = join(newFolder("password"), "password")
  const setPassword = (password: string) => writeFileSync(passwordFile, `${password}\n`)
  setPassword("0123456789abcdef")
  const ports = await Promise.all(Array.from({ length: 6 }, freeTestPort))
  const addressOf = (port: number) => `localhost:${port}`
  const addresses = ports.slice(0, 3).map(addressOf).join(" ")
  const servers = ports
    .slice(0, 3)
    .map((port) =>
      makeMember(
        "start-redis.sh",
        port,
        { REDIS_SELF: addressOf(port), REDIS_SERVERS: addresses },
        passwordFile,
      ),
    )
  const sentinels = ports
    .slice(3)
    .map((port) =>
      makeMember(
        "start-sentinel.sh",
        port,
        { SENTINEL_SELF: addressOf(port), REDIS_SERVERS: addresses },
        passwordFile,
      ),
    )
  const members = [...servers, ...sentinels]
  return {
    password: () => readFileSync(passwordFile, "utf8").trim(),
    setPassword,
    servers,
    sentinels,
    stop: async () => {
      await Promise.all(members.map((member) => member.end("SIGKILL")))
      for (const member of members) member.emptyVolume()
    },
  }
}
