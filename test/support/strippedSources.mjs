// Loaded before the processes that tests start (loadingCache.ts). Node strips the types of every source at every start; here the
// outcome is kept by content, and our own imports, which name files, are not looked up.
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
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

// Absent under the Node that only looks for the right one (scripts/with-node22.mjs).
nodeModule.registerHooks?.({
  resolve: (specifier, context, next) => {
    const isFile = specifier.startsWith(".") && specifier.endsWith(".ts") && context.parentURL !== undefined
    if (!isFile) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format: "module", shortCircuit: true }
  },
  load: (url, context, next) => {
    if (!isOurs(url)) return next(url, context)
    return {
      format: "module",
      source: stripped(readFileSync(fileURLToPath(url), "utf8")),
      shortCircuit: true,
    }
  },
})
