// Usage: node scripts/with-node22.mjs <script> [arguments]
//
// Sets up a fresh clone (packages, Node 22, a redis-server), then runs the script under Node 22. Plain JavaScript
// without packages, because nothing is installed when it first runs, under whatever Node (18 or later) is there. It
// prints to stderr: stdout belongs to the script.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { constants as osConstants } from "node:os"
import { delimiter, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const node22 = join(modules, ".bin", "node")
const stampFile = join(modules, ".corrente-setup")
const lockFile = join(root, ".data", "setup.lock")

const lockPollMillis = 200
const lockBeatMillis = 2_000
/** A living holder beats far more often than this, so an older lock belongs to a process id that was used again. */
const lockStaleMillis = 60_000

/** An error whose message tells the user what to do; printed without a stack. */
class SetUpError extends Error {
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

const say = (line) => process.stderr.write(`${line}\n`)

const readText = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const isNode22 = () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  return major === 22 && minor >= 18
}

const writeStamp = (hash) => {
  try {
    writeFileSync(stampFile, hash)
  } catch {
    // If another user installed the packages and they are read-only here, each start compares them again.
  }
}

/** Whether the packages are those of package-lock.json under Node 22; `withDev` includes the development tools. */
const packagesReady = (withDev) => {
  // npm picks the HTTP server's binary by the Node it runs under, and silently leaves it out under another.
  const httpBinary = join(modules, "@uwsjs", `${process.platform}-${process.arch}-22`)
  if (!existsSync(node22) || !existsSync(httpBinary)) return false
  const wantedText = readFileSync(join(root, "package-lock.json"), "utf8")
  const hash = createHash("sha256").update(wantedText).digest("hex")
  if (readText(stampFile) === hash) return true

  // A plain `npm ci` leaves npm's own record of what it installed, but not our stamp.
  const installedText = readText(join(modules, ".package-lock.json"))
  if (installedText === undefined) return false
  const installed = JSON.parse(installedText).packages
  const missing = Object.entries(JSON.parse(wantedText).packages).filter(
    ([path, wanted]) => path !== "" && !wanted.optional && installed[path]?.integrity !== wanted.integrity,
  )
  if (missing.length === 0) writeStamp(hash)
  return missing.every(([, wanted]) => wanted.dev && !withDev)
}

const onPath = (command) =>
  (process.env.PATH ?? "").split(delimiter).some((directory) => {
    try {
      const path = join(directory, command)
      accessSync(path, constants.X_OK)
      return statSync(path).isFile()
    } catch {
      return false
    }
  })

/**
 * Runs a program to its end and returns its exit code (128 + n if signal n ended it). Forwards signals sent to this
 * process, each kind only once: Ctrl-C in a terminal reaches the child directly as well, and npm sends it once more.
 * This process never exits before the child, so that a draining child is not cut off.
 */
const run = (command, args, options) =>
  new Promise((done, failed) => {
    const child = spawn(command, args, { cwd: root, ...options })
    const forwards = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
      let forwarded = false
      const forward = () => {
        if (!forwarded) child.kill(signal)
        forwarded = true
      }
      process.on(signal, forward)
      return () => process.off(signal, forward)
    })
    const settle = () => {
      for (const stop of forwards) stop()
    }
    child.once("error", (error) => {
      settle()
      failed(error)
    })
    child.once("exit", (code, signal) => {
      settle()
      done(signal === null ? code : 128 + osConstants.signals[signal])
    })
  })

const runSetUp = async (what, command, args, environment) => {
  const code = await run(command, args, { env: environment, stdio: ["ignore", 2, 2] })
  if (code > 128) throw new SetUpError(`${what} was interrupted; run this again to finish it.`, code)
  if (code !== 0) throw new SetUpError(`${what} failed (exit code ${code}); the lines above say why.`)
}

const lockHolder = () => {
  const pid = Number(readText(lockFile))
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  try {
    if (Date.now() - statSync(lockFile).mtimeMs > lockStaleMillis) return undefined
    process.kill(pid, 0)
    return pid
  } catch (error) {
    return error.code === "EPERM" ? pid : undefined
  }
}

const tryLock = (path) => {
  // Written beside and linked into place, so that the lock never exists without its holder's process id.
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (error.code === "EEXIST") return false
    throw error
  } finally {
    unlinkSync(draft)
  }
}

/** Removes a dead holder's lock. Only one process at a time may, or another's new lock would be removed. */
const removeDeadLock = () => {
  const guard = `${lockFile}.removal`
  if (!tryLock(guard)) {
    const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > lockStaleMillis) rmSync(guard, { force: true })
    return
  }
  if (lockHolder() === undefined) rmSync(lockFile, { force: true })
  rmSync(guard, { force: true })
}

/** Runs `body` while no other set-up of this clone runs. */
const locked = async (body) => {
  try {
    mkdirSync(dirname(lockFile), { recursive: true, mode: 0o700 })
    accessSync(dirname(lockFile), constants.W_OK)
  } catch (error) {
    throw new SetUpError(
      `Cannot write ${dirname(lockFile)} (${error.code}): run the set-up as the owner of this folder.`,
    )
  }
  let told = false
  while (!tryLock(lockFile)) {
    const holder = lockHolder()
    if (holder === undefined) removeDeadLock()
    else if (!told) say(`Waiting for the set-up that process ${holder} is doing...`)
    told ||= holder !== undefined
    await new Promise((wake) => setTimeout(wake, lockPollMillis))
  }
  const release = () => rmSync(lockFile, { force: true })
  const beat = setInterval(() => {
    if (existsSync(lockFile)) utimesSync(lockFile, new Date(), new Date())
  }, lockBeatMillis)
  process.once("exit", release)
  try {
    return await body()
  } finally {
    clearInterval(beat)
    process.off("exit", release)
    release()
  }
}

const installPackages = async () => {
  const version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).dependencies.node
  if (!onPath("npx"))
    throw new SetUpError("npm is not installed: install npm 10 or later and run this again.")
  say(`Setting up: installing the packages under Node ${version}, once. This can take a minute...`)
  // Our own node is about to be replaced, and `npm run --silent` would hide the reasons of a failure.
  const own = join(modules, ".bin")
  const PATH = (process.env.PATH ?? "").split(delimiter).filter((directory) => resolve(directory) !== own)
  const environment = { ...process.env, PATH: PATH.join(delimiter), npm_config_loglevel: "error" }
  // Development tools are installed whatever NODE_ENV says: `npm start` and `npm test` share one node_modules.
  const install = ["-y", "-p", `node@${version}`, "-c", "npm ci --include=dev"]
  await runSetUp("Installing the packages", "npx", install, environment)
  if (!packagesReady(true)) {
    throw new SetUpError(
      "The packages are installed, but Node 22 or the HTTP server's binary is missing. Allow npm to run install " +
        "scripts and optional packages (npm config: ignore-scripts=false, no omit=optional), then run this again.",
    )
  }
}

/** How to install a redis-server with each package manager. */
const redisInstallers = [
  {
    manager: "apt-get",
    commands: ["apt-get update -qq", "apt-get install -y -qq --no-install-recommends redis-server"],
  },
  { manager: "apk", commands: ["apk add --no-cache redis"] },
  { manager: "dnf", commands: ["dnf install -y -q redis || dnf install -y -q valkey-compat-redis"] },
]

const redisNeed = "Corrente needs a redis-server (7.0 or later) on the PATH"

/** The commands that install a redis-server here, or the error that asks the user to. */
const redisInstaller = () => {
  const installer = redisInstallers.find(({ manager }) => onPath(manager))
  const byHand =
    installer === undefined ? "" : `, for example by: sudo ${installer.commands.at(-1).split(" || ")[0]}`
  if (process.getuid?.() !== 0 || installer === undefined) {
    throw new SetUpError(
      `${redisNeed}: install it${byHand || " with your package manager"}, then run this again.`,
    )
  }
  return installer
}

const installRedis = async (installer) => {
  say(`Setting up: installing redis-server with ${installer.manager}, once...`)
  // Debian's packages start their service unless this file forbids it; Corrente runs its own server.
  const policy = "/usr/sbin/policy-rc.d"
  const forbidding = installer.manager === "apt-get" && !existsSync(policy)
  if (forbidding) writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 })
  try {
    const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    for (const command of installer.commands) {
      await runSetUp("Installing redis-server", "sh", ["-c", command], environment)
    }
  } finally {
    if (forbidding) rmSync(policy, { force: true })
  }
  if (!onPath("redis-server"))
    throw new SetUpError(`${redisNeed}; the package just installed does not contain one.`)
}

/** Whether the script needs a redis-server on this machine: all do except what starts no service, and a service with REDIS_URL. */
const needsRedis = (script) =>
  !/^cli|check\.mjs$|^scripts\/web\/|\/vite\.js$/.test(script) &&
  !(script.startsWith("src") && [process.env.REDIS_URL, process.env.REDIS_URL_FILE].some((set) => set))

/** Whether the script serves the pages of web/, or runs what does. */
const needsPages = (script) => /^(?:src\/main\.ts|scripts\/demo\/.*|.*\/vitest\.mjs)$/.test(script)

const main = async () => {
  const [argument, ...rest] = process.argv.slice(2)
  if (argument === undefined) throw new SetUpError("Usage: node scripts/with-node22.mjs <script> [arguments]")
  const script = resolve(root, argument)
  const name = relative(root, script)
  const withDev = !/^(?:src|cli)/.test(name)
  const redisMissing = () => needsRedis(name) && !onPath("redis-server")

  const installer = redisMissing() ? redisInstaller() : undefined
  let installed = false
  if (!packagesReady(withDev) || installer !== undefined) {
    await locked(async () => {
      // Checked again: another process may have done it while this one waited.
      if (installer !== undefined && redisMissing()) await installRedis(installer)
      if (!packagesReady(withDev)) {
        await installPackages()
        installed = true
      }
    })
  }

  process.chdir(root)
  if (needsPages(name)) {
    const setUp = join(root, "scripts", "web", "setUp.ts")
    if (isNode22()) (await import(pathToFileURL(setUp).href)).setUpPages()
    else await runSetUp("Building the pages", node22, [setUp], process.env)
  }
  if (isNode22() && !installed) {
    process.argv = [process.argv[0], script, ...rest]
    await import(pathToFileURL(script).href)
    return
  }
  process.exitCode = await run(node22, [...process.execArgv, script, ...rest], { stdio: "inherit" })
}

await main().catch((error) => {
  if (!(error instanceof SetUpError)) throw error
  say(error.message)
  process.exit(error.exitCode)
})
