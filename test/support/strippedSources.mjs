// Loaded before the processes that tests start (loadingCache.ts). Node strips the types of every source at every start; here the
// outcome is kept by content, and what is imported is not looked up again and again.
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import * as nodeModule from "node:module"
import { fileURLToPath } from "node:url"

const folder = new URL("../../node_modules/.cache/stripped/", import.meta.url)

/** Strips without the warning that the function is experimental: some tests compare what a process prints. */
const strip = (text) => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return nodeModule.stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emitWarning
  }
}

const stripped = (text) => {
  const file = new URL(createHash("sha256").update(text).digest("hex"), folder)
  try {
    return readFileSync(file, "utf8")
  } catch {
    const source = strip(text)
    const draft = new URL(`${file.href}.${process.pid}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(draft, source)
    // Other processes see all of it or nothing.
    renameSync(draft, file)
    return source
  }
}

const isOurs = (url) => url.startsWith("file:") && url.endsWith(".ts") && !url.includes("/node_modules/")

/** The package with the most modules; its imports name files too. */
const effect = new URL("../../node_modules/effect/dist/", import.meta.url).href
const isOfEffect = (url) => url.startsWith(effect) && url.endsWith(".js")

const root = new URL("../../", import.meta.url).href
const bundleName = new URL(import.meta.url).search.slice(1)
const bundle = `${root}node_modules/.cache/bundles/${bundleName}`

/** The bundle's file of a program, by the program's source (programBundle.ts); undefined for any other. */
const bundledFile = (url) => {
  if (bundleName === "" || !url.startsWith(root) || !url.endsWith(".ts")) return undefined
  const file = `${bundle}/${url.slice(root.length, -".ts".length)}.mjs`
  return existsSync(new URL(file)) ? file : undefined
}

const namesFile = (specifier, parentUrl) =>
  specifier.startsWith(".") &&
  ((specifier.endsWith(".ts") && !parentUrl.includes("/node_modules/")) ||
    (specifier.endsWith(".js") && isOfEffect(parentUrl)))

/** What packages and Node's own modules resolve to: the same for all of our sources, which share one node_modules. */
const resolved = new Map()

// Absent under the Node that only looks for the right one (scripts/with-node22.mjs).
nodeModule.registerHooks?.({
  resolve: (specifier, context, next) => {
    const { parentURL, conditions, importAttributes } = context
    if (parentURL === undefined) {
      const found = next(specifier, context)
      const url = bundledFile(found.url)
      return url === undefined ? found : { url, format: "module", shortCircuit: true }
    }
    if (namesFile(specifier, parentURL)) {
      return { url: new URL(specifier, parentURL).href, format: "module", shortCircuit: true }
    }
    const isShared = isOurs(parentURL) && !specifier.startsWith(".")
    if (!isShared || !conditions.includes("import") || Object.keys(importAttributes ?? {}).length > 0) {
      return next(specifier, context)
    }
    const known = resolved.get(specifier)
    if (known !== undefined) return known
    const { url, format } = next(specifier, context)
    const found = { url, format, shortCircuit: true }
    resolved.set(specifier, found)
    return found
  },
  load: (url, context, next) => {
    const source = isOurs(url) ? stripped : isOfEffect(url) ? (text) => text : undefined
    if (source === undefined) return next(url, context)
    return {
      format: "module",
      source: source(readFileSync(fileURLToPath(url), "utf8")),
      shortCircuit: true,
    }
  },
})
