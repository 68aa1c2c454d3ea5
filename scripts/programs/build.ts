// Usage: node scripts/programs/build.ts
//
// Builds the service, `ops` and `corrente` into dist, unless there is a build of these very sources: a process then loads a few
// files, not 1,100. Copied with its links followed (cp -rL), dist needs of the clone no more than the packages of `external`.
import { cpSync, mkdirSync, symlinkSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin } from "vite"
import { builds } from "../setUp/builds.mjs"
import { keepBuild } from "../setUp/keep.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** What is started as a process or a thread: `main.mjs` and so on. */
const programs: Readonly<Record<string, string>> = {
  main: "src/main.ts",
  worker: "src/processes/worker.ts",
  passwordWorker: "src/accounts/users/passwordWorker.ts",
  receiptWorker: "src/payments/receipts/receiptWorker.ts",
  logoWorker: "src/payments/logos/logoWorker.ts",
  ops: "src/ops/main.ts",
  corrente: "cli/main.ts",
}

/** Native code, a package that starts threads from files of its own, and one that finds its fonts beside itself. */
const external = ["uWebSockets.js", "piscina", "pdfkit"]

const isOurs = (id: string): boolean => id.startsWith(root) && !id.includes("/node_modules/")

/**
 * Modules find their files in dist: programs by their names, and all else, which {@link copyFiles} puts there, as if dist were the
 * root of the repository.
 */
const filesInDist: Plugin = {
  name: "files-in-dist",
  enforce: "pre",
  transform(code, id) {
    if (!isOurs(id) || !code.includes("import.meta.")) return undefined
    const here = `new URL("./${relative(root, id)}", import.meta.url).href`
    const moved = code.replaceAll(
      /new URL\("([^"]+)\.ts", import\.meta\.url\)|import\.meta\.url/g,
      (_, path?: string) => {
        if (path === undefined) return here
        const name = basename(path)
        if (join(root, programs[name] ?? "") !== join(dirname(id), `${path}.ts`))
          throw new Error(
            `${relative(root, id)} starts ${path}.ts, which scripts/programs/build.ts does not list.`,
          )
        return `new URL("./${name}.mjs", import.meta.url)`
      },
    )
    // The lines stay where they are.
    return { code: moved, map: null }
  },
}

/** Copies what the programs read while they run, and links the pages, which are built apart. */
const copyFiles = (draft: string): void => {
  const isFile = (path: string) => !path.endsWith(".ts")
  for (const path of ["package.json", "docs/guide.md", "src"])
    cpSync(join(root, path), join(draft, path), { recursive: true, filter: isFile })
  const link = join(draft, relative(root, builds.pages.link))
  mkdirSync(dirname(link))
  symlinkSync(relative(dirname(link), builds.pages.link), link)
}

const makePrograms = async (draft: string): Promise<void> => {
  await build({
    root,
    configFile: false,
    logLevel: "warn",
    plugins: [filesInDist],
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      target: "node22",
      outDir: draft,
      emptyOutDir: false,
      sourcemap: true,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, join(root, path)])),
        output: {
          entryFileNames: "[name].mjs",
          chunkFileNames: "[name]-[hash].mjs",
          // A third less to read at each start. The sources are in the repository, and lines of traces need only the map.
          comments: { legal: true, annotation: false, jsdoc: false },
          sourcemapExcludeSources: true,
        },
      },
    },
  })
  copyFiles(draft)
}

const { isNew } = await keepBuild(builds.programs, makePrograms)
process.stderr.write(`The programs are ${isNew ? "built" : "built already"}, in dist.\n`)
