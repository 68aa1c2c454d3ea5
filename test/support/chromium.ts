import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { arch, platform } from "node:process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type Browser, chromium, type LaunchOptions } from "playwright-core"

const root = fileURLToPath(new URL("../../", import.meta.url))
const { version } = JSON.parse(
  readFileSync(`${root}node_modules/@sparticuz/chromium/package.json`, "utf8"),
) as { readonly version: string }
const cache = `${root}node_modules/.cache/corrente/`
const folder = `${cache}chromium-${version}`

const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (program) => existsSync(program),
)

/** Why no browser can be launched here; undefined where one can. The package has a Chromium for Linux on x64 alone. */
export const whyNoChromium =
  (platform === "linux" && arch === "x64") || installed !== undefined
    ? undefined
    : `Chromium is not installed, and there is none for ${platform} on ${arch}`

/** The package unpacks into TMPDIR, where half a file would count as a whole one. So each process has a TMPDIR of its own. */
const unpack = async (): Promise<void> => {
  await mkdir(cache, { recursive: true })
  const stage = await mkdtemp(`${cache}unpacking-`)
  const program = 'await (await import("@sparticuz/chromium")).default.executablePath()'
  const env = { PATH: process.env.PATH, TMPDIR: stage, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" }
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    env,
  })
  await writeFile(
    `${stage}/fonts.conf`,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${folder}/fonts</dir>` +
      `<dir>/usr/share/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
  )
  // Another process may have been faster.
  await rename(stage, folder).catch(async (error: unknown) => {
    await rm(stage, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
}

/** Waits of pages are for a hang, not for a busy machine. */
const pageTimeoutMillis = 120_000

const launch = async (options: LaunchOptions): Promise<Browser> => {
  const browser = await chromium.launch(options)
  browser.on("context", (context) => context.setDefaultTimeout(pageTimeoutMillis))
  return browser
}

/**
 * Launches a headless Chromium: the one of `@sparticuz/chromium`, unpacked once, or else the machine's. Close it when
 * done. Check {@link whyNoChromium} first.
 */
export const launchChromium = async (): Promise<Browser> => {
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
  if (platform !== "linux" || arch !== "x64") {
    return launch({ args, ...(installed === undefined ? {} : { executablePath: installed }) })
  }
  if (!existsSync(folder)) await unpack()
  const libraries = [`${folder}/al2023/lib`, process.env.LD_LIBRARY_PATH].filter((path) => path !== undefined)
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined)),
    LD_LIBRARY_PATH: libraries.join(":"),
    FONTCONFIG_FILE: `${folder}/fonts.conf`,
    // Under a system without one its language is `en-US@posix`, which Intl refuses, and plots with it.
    LC_ALL: "en_US.UTF-8",
  } as Record<string, string>
  return launch({ args, executablePath: `${folder}/chromium`, env })
}

let shared: Promise<Browser> | undefined

/** The Chromium that all test files of this worker share: launching one takes over a second of CPU. It ends with the worker. */
export const sharedChromium = async (): Promise<Browser> => {
  const known = await shared?.catch(() => undefined)
  if (known?.isConnected()) return known
  shared = launchChromium()
  return shared
}
