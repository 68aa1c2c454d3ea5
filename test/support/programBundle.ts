import { createHash } from "node:crypto"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build, type Plugin } from "vite"
import type { TestProject } from "vitest/node"
import { removeOld } from "../../scripts/web/build.ts"
import { stampOfPaths } from "../../scripts/web/inputs.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const bundles = join(root, "node_modules/.cache/bundles")

/** What tests start often. `strippedSources.mjs` starts the bundle's file of the same name in its place. */
const programs = [
  "src/main",
  "src/processes/worker",
  "src/ops/main",
  "cli/main",
  "test/support/ownRedisProcess",
]

/** A name for the content of all that a bundle is made from, and for the checkout, whose addresses are written into it. */
const stampOfSources = (): string => {
  const content = stampOfPaths(
    [
      "src",
      "cli",
      "client/src",
      "schema",
      "actors",
      "package-lock.json",
      "test/support/programBundle.ts",
      "test/support/ownRedisProcess.ts",
    ].map((path) => join(root, path)),
  )
  // A copy of this checkout, made with its node_modules, would otherwise test the files of this one.
  return createHash("sha256").update(`${root}\0${content}`).digest("hex").slice(0, 32)
}

/** A module goes on finding files beside its source: Lua functions, pages, workers. */
const ownAddresses: Plugin = {
  name: "own-addresses",
  enforce: "pre",
  transform: (code, id) =>
    id.startsWith(root) && !id.includes("/node_modules/")
      ? code
          .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
          .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
      : undefined,
}

const nativeName = "uWebSockets.js"
const nativeFunctions = Object.keys(createRequire(import.meta.url)(nativeName))

/**
 * Loads the native module where its importer would. As an import of the bundle it would load first of all, before the limit that
 * it reads from the environment is set (`headerLimit.ts`).
 */
const nativeInItsPlace: Plugin = {
  name: "native-in-its-place",
  enforce: "pre",
  resolveId: (id) => (id === nativeName ? `\0${nativeName}` : undefined),
  load: (id) =>
    id === `\0${nativeName}`
      ? `import { createRequire } from "node:module"
const native = createRequire(${JSON.stringify(pathToFileURL(root).href)})(${JSON.stringify(nativeName)})
export default native
export const { ${nativeFunctions.join(", ")} } = native`
      : undefined,
}

/** A source without a character beyond ASCII is read as it is. In strings, templates and patterns an escape is the same character. */
const asciiAlone: Plugin = {
  name: "ascii-alone",
  generateBundle: (_options, files) => {
    for (const file of Object.values(files)) {
      if (file.type !== "chunk") continue
      file.code = file.code.replace(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
    }
  },
}

const buildInto = (folder: string) =>
  build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: [ownAddresses, nativeInItsPlace, asciiAlone],
    // It starts threads from files of its own.
    ssr: { noExternal: true, external: ["piscina"] },
    build: {
      ssr: true,
      target: "node22",
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: {
        input: Object.fromEntries(programs.map((name) => [name, `${name}.ts`])),
        // Names of modules: Node reads a file that may be either kind twice.
        output: { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
      },
    },
  })

/**
 * Before the tests that start processes: bundles the programs, unless there is a bundle of these very sources, and names it
 * to the workers (`CORRENTE_TEST_BUNDLE`). A process of it loads a dozen modules, not 1,100. Where the sources change
 * during a run (`vitest --watch`), the sources are started.
 */
export default async (project: TestProject): Promise<void> => {
  if (project.vitest.config.watch) return
  const stamp = stampOfSources()
  const folder = join(bundles, stamp)
  if (!existsSync(folder)) {
    mkdirSync(bundles, { recursive: true })
    const draft = join(bundles, `draft-${process.pid}`)
    await buildInto(draft)
    // Another run was faster.
    if (existsSync(folder)) rmSync(draft, { recursive: true, force: true })
    else renameSync(draft, folder)
  }
  removeOld(bundles, stamp)
  process.env.CORRENTE_TEST_BUNDLE = stamp
}
