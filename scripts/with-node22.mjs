// Usage: node scripts/with-node22.mjs <script> [arguments]
//
// Sets up a fresh clone (packages, Node 22, a redis-server, builds), then runs the script under Node 22. Plain JavaScript
// without packages, because nothing is installed when it first runs, under whatever Node (18 or later) is there. It
// prints to stderr: stdout belongs to the script.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { accessSync, constants, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import * as nodeModule from "node:module"
import { constants as osConstants } from "node:os"
import { delimiter, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { builds, isBuilt } from "./setUp/builds.mjs"
import { locked, readText, SetUpError, say } from "./setUp/lock.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")
const node22 = join(modules, ".bin", "node")
const stampFile = join(modules, ".corrente-setup")

const isNode22 = () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  return major === 22 && minor >= 18
}

const writeStamp = (stamp) => {
  try {
    writeFileSync(stampFile, stamp)
  } catch {
    // If another user installed the packages and they are read-only here, each start compares them again.
  }
}

/**
 * What may be installed, each with what is before it: the packages that the service runs with, those that it is built with, and all,
 * with those of tests, which are in the workspace `test`.
 */
const sets = { run: 0, build: 1, all: 2 }

/** What is installed of package-lock.json, under Node 22: one of {@link sets}, undefined if nothing that fits. */
const installedSet = () => {
  // npm picks the HTTP server's binary by the Node it runs under, and silently leaves it out under another.
  const httpBinary = join(modules, "@uwsjs", `${process.platform}-${process.arch}-22`)
  if (!existsSync(node22) || !existsSync(httpBinary)) return undefined
  const wantedText = readFileSync(join(root, "package-lock.json"), "utf8")
  const hash = createHash("sha256").update(wantedText).digest("hex")
  const [stampHash, stampSet] = readText(stampFile)?.split(" ") ?? []
  if (stampHash === hash) return sets[stampSet]

  // A plain `npm ci` leaves npm's own record of what it installed, but not our stamp.
  const installedText = readText(join(modules, ".package-lock.json"))
  if (installedText === undefined) return undefined
  const installed = JSON.parse(installedText).packages
  const missing = Object.entries(JSON.parse(wantedText).packages).filter(
    ([path, wanted]) =>
      wanted.integrity && !wanted.optional && installed[path]?.integrity !== wanted.integrity,
  )
  if (missing.length === 0) writeStamp(`${hash} all`)
  return missing.length === 0 ? sets.all : missing.every(([, wanted]) => wanted.dev) ? sets.run : undefined
}

const isInstalled = (set) => (installedSet() ?? -1) >= sets[set]

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

const installPackages = async (set) => {
  const version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).dependencies.node
  if (!onPath("npx"))
    throw new SetUpError("npm is not installed: install npm 10 or later and run this again.")
  const what = set === "all" ? "all packages" : "the service's packages"
  say(`Setting up: installing ${what} under Node ${version}, once. This can take a minute...`)
  // Our own node is about to be replaced, and `npm run --silent` would hide the reasons of a failure.
  const own = join(modules, ".bin")
  const PATH = (process.env.PATH ?? "").split(delimiter).filter((directory) => resolve(directory) !== own)
  const environment = { ...process.env, PATH: PATH.join(delimiter), npm_config_loglevel: "error" }
  // `npm ci` would remove what is there, of which a service may be running. The lockfile decides in both.
  const command = installedSet() === undefined ? "npm ci" : "npm install --no-save"
  // Whatever NODE_ENV says: commands share one node_modules.
  const flags = set === "all" ? "--include=dev" : "--include=dev --workspaces=false"
  await runSetUp(
    "Installing the packages",
    "npx",
    ["-y", "-p", `node@${version}`, "-c", `${command} ${flags}`],
    environment,
  )
  const hash = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex")
  writeStamp(`${hash} ${set}`)
  if (!isInstalled(set)) {
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

/** The packages that the script needs. */
const setOf = (script) => {
  if (script.startsWith("dist/")) return missingBuilds(script).length === 0 ? "run" : "build"
  return /^scripts\/(?:web|programs|demo)\/|\/vite\.js$/.test(script) ? "build" : "all"
}

/** Whether the script needs a redis-server on this machine: all do except what starts no service, and a service with REDIS_URL. */
const needsRedis = (script) =>
  !/^dist\/corrente|check\.mjs$|^scripts\/(?:web|programs)\/|\/vite\.js$/.test(script) &&
  !(script.startsWith("dist") && [process.env.REDIS_URL, process.env.REDIS_URL_FILE].some((set) => set))

/** The builds that are to be made first: of the script itself, or of what it starts. */
const missingBuilds = (script) => {
  const runsAll = /^(?:scripts\/demo|bench|test\/faults\/run)\/|\/vitest\.mjs$/.test(script)
  return [
    { build: builds.pages, isNeeded: runsAll || script === "dist/main.mjs", maker: "scripts/web/build.ts" },
    {
      build: builds.programs,
      isNeeded: runsAll || script.startsWith("dist/"),
      maker: "scripts/programs/build.ts",
    },
  ].filter(({ build, isNeeded }) => isNeeded && !isBuilt(build))
}

/** The service runs without its pages, so where they do not build, that is said and nothing fails. */
const makeBuild = async ({ build, maker }) => {
  const isPages = build === builds.pages
  const what = isPages ? "the dashboard's pages" : "the service and its commands"
  say(`Setting up: building ${what}, once...`)
  await runSetUp(`Building ${what}`, node22, [join(root, maker)], process.env).catch((error) => {
    if (!isPages || error.exitCode > 128) throw error
    say(`${error.message} /app is not served.`)
  })
}

const main = async () => {
  const [argument, ...rest] = process.argv.slice(2)
  if (argument === undefined) throw new SetUpError("Usage: node scripts/with-node22.mjs <script> [arguments]")
  const script = resolve(root, argument)
  const name = relative(root, script)
  const wanted = setOf(name)
  const redisMissing = () => needsRedis(name) && !onPath("redis-server")

  const installer = redisMissing() ? redisInstaller() : undefined
  let installed = false
  if (!isInstalled(wanted) || installer !== undefined) {
    await locked(async () => {
      // Checked again: another process may have done it while this one waited.
      if (installer !== undefined && redisMissing()) await installRedis(installer)
      if (!isInstalled(wanted)) {
        await installPackages(wanted)
        installed = true
      }
    })
  }

  process.chdir(root)
  for (const build of missingBuilds(name)) await makeBuild(build)
  // Compiled code is kept too, for those that this process starts as well.
  process.env.NODE_COMPILE_CACHE ??= join(builds.programs.folder, "compiled")
  if (isNode22() && !installed) {
    nodeModule.enableCompileCache?.(process.env.NODE_COMPILE_CACHE)
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
