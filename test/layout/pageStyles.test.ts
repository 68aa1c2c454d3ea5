import { dirname, join } from "node:path/posix"
import { expect, it } from "vitest"
import { sourcesOf } from "./sources.ts"

const sources = new Map(sourcesOf(["web/src"], [".ts", ".tsx", ".css"]).map(({ path, text }) => [path, text]))
const textOf = (path: string): string => sources.get(path) ?? ""

const found = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, word = ""]) => word)
const targets = (path: string, pattern: RegExp) =>
  found(textOf(path), pattern).map((target) => join(dirname(path), target))
/** What is loaded with a file, and what only when it is needed. */
const importedWith = (path: string) => targets(path, /(?:from|^import)\s+"(\.[^"]+)"/gm)
const later = new Map(
  [...sources.keys()].map((path) => [path, targets(path, /\bimport\("(\.[^"]+)"\)/g)] as const),
)

/** A file with all that is loaded with it. */
const loadedWith = (path: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const target of importedWith(path)) loadedWith(target, seen)
  return seen
}

const main = "web/src/main.tsx"
/** What is loaded on its own: the program, each page, and each part that a page loads later. */
const chunks = new Map(
  [...new Set([main, ...[...later.values()].flat()])].map((path) => [path, loadedWith(path)]),
)

const stylesIn = (paths: Iterable<string>) => new Set([...paths].filter((path) => path.endsWith(".css")))

/** The styles that are there whenever a chunk is: its own, the program's, and those that all chunks which load it have. */
const stylesOf = (chunk: string, under: ReadonlySet<string> = new Set()): ReadonlySet<string> => {
  const above = [...chunks].flatMap(([path, files]) =>
    path !== chunk && !under.has(path) && [...files].some((file) => later.get(file)?.includes(chunk))
      ? [stylesOf(path, new Set([...under, chunk]))]
      : [],
  )
  const [first = new Set<string>(), ...others] = above
  const shared = [...first].filter((style) => others.every((styles) => styles.has(style)))
  return new Set([...stylesIn(chunks.get(main) ?? []), ...stylesIn(chunks.get(chunk) ?? []), ...shared])
}

/** The styles that know a class. */
const knownIn = new Map<string, Set<string>>()
for (const style of stylesIn(sources.keys())) {
  for (const name of found(textOf(style).replaceAll(/\/\*[\s\S]*?\*\//g, ""), /\.([a-zA-Z][\w-]*)/g)) {
    knownIn.set(name, (knownIn.get(name) ?? new Set()).add(style))
  }
}
/** The words of `class="…"`, and of the texts of `class={…}`. */
const classesIn = (path: string) => {
  const plain = found(textOf(path), /class="([^"]+)"/g)
  const chosen = found(textOf(path), /class=\{([^}]*)\}/g).flatMap((code) => found(code, /["`]([^"`]*)["`]/g))
  return [...plain, ...chosen].flatMap((text) => text.split(/\s+/))
}

it("every page and part of a page imports the styles of its classes, and needs none of a page that was opened before", () => {
  expect(chunks.size).toBeGreaterThan(50)
  const missing = [...chunks].flatMap(([chunk, files]) => {
    const styles = stylesOf(chunk)
    const parts = [...files].filter((path) => path.startsWith("web/src/pages/") && path.endsWith(".tsx"))
    return parts.flatMap((path) =>
      classesIn(path).flatMap((name) => {
        const known = [...(knownIn.get(name) ?? [])]
        return known.length === 0 || known.some((style) => styles.has(style))
          ? []
          : [`${chunk}: .${name} of ${path} is in ${known.join(", ")}`]
      }),
    )
  })
  expect([...new Set(missing)]).toEqual([])
})
