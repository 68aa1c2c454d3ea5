import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { buildPages } from "../../scripts/web/build.ts"
import { pagesFolder } from "../../src/http/app/buildFiles.ts"
import { type PagesBuild, readPagesBuild } from "../../src/http/app/pagesBuild.ts"

/** What a first visit may load of scripts, compressed by gzip. */
const firstLoadBytesMax = 60_000

/** What Vite says of a chunk. */
interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: ReadonlyArray<string>
  readonly dynamicImports?: ReadonlyArray<string>
}

let chunks: Readonly<Record<string, Chunk>> = {}
let build: PagesBuild
beforeAll(async () => {
  const { folder } = await buildPages()
  chunks = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8"))
  const read = readPagesBuild(pagesFolder)
  if (read === undefined) throw new Error("the build cannot be read")
  build = read
})

/** A chunk and all that it imports, as files. */
const filesWith = (name: string, files = new Set<string>()): ReadonlySet<string> => {
  const { file, imports = [] } = chunks[name] ?? { file: "" }
  if (files.has(file)) return files
  files.add(file)
  for (const imported of imports) filesWith(imported, files)
  return files
}

const gzippedBytesOf = (path: string): number => {
  const file = build.others.find((other) => other.path === path)
  const [, bytes] = file?.coded.find(([coding]) => coding === "gzip") ?? []
  if (bytes === undefined) throw new Error(`${path} is not in the build`)
  return bytes.length
}
const weightOf = (files: Iterable<string>): number =>
  [...files].reduce((sum, path) => sum + gzippedBytesOf(path), 0)

describe("the pages that are served", () => {
  it("a first visit to any page loads less than 60 kB of compressed scripts", () => {
    const [entry = "", ...others] = Object.keys(chunks).filter((name) => chunks[name]?.isEntry)
    expect(others).toEqual([])
    const first = filesWith(entry)
    const page = Buffer.from(build.index.plain).toString()
    const named = [...page.matchAll(/(?:src|href)="\/app\/(assets\/[^"]+\.js)"/g)].map(
      ([, path = ""]) => path,
    )
    expect(new Set(named)).toEqual(first)
    const pages = chunks[entry]?.dynamicImports ?? []
    expect(pages.length).toBeGreaterThan(20)
    const heavy = pages
      .map((name) => ({ name, bytes: weightOf(new Set([...first, ...filesWith(name)])) }))
      .filter(({ bytes }) => bytes >= firstLoadBytesMax)
    expect(heavy).toEqual([])
  })

  it("the page that shows the kit is for those who work on the pages: no build has it", () => {
    const sources = Object.keys(chunks)
    expect(sources).toContain("src/pages/home/home.tsx")
    expect(sources.filter((name) => name.includes("/kit"))).toEqual([])
  })

  it("no file names another origin to load from, and the page has nothing inline", () => {
    const page = Buffer.from(build.index.plain).toString()
    for (const [, link = ""] of page.matchAll(/(?:src|href)="([^"]*)"/g))
      expect(link).toMatch(/^\/app\/assets\//)
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i)
    const isStyle = ({ path }: { readonly path: string }) => path.endsWith(".css")
    for (const { path, plain } of build.others.filter(isStyle)) {
      expect([
        path,
        /url\((?!["']?(?:\.{0,2}\/|data:))|@import/i.test(Buffer.from(plain).toString()),
      ]).toEqual([path, false])
    }
    for (const { path, plain } of build.others.filter(({ path }) => path.endsWith(".js"))) {
      const text = Buffer.from(plain).toString()
      expect([path, text.match(/\b(?:import|fetch|EventSource|Worker)\(\s*["'`]https?:/g)]).toEqual([
        path,
        null,
      ])
      expect([path, text.includes("sourceMappingURL")]).toEqual([path, false])
    }
  })
})
