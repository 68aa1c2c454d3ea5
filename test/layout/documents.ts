import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import type { Source } from "./sources.ts"

/** The repository's root. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Folders without documents of the repository's own. */
const foreign = new Set(["node_modules", ".git", ".data"])

const documentsBelow = (folder: string): ReadonlyArray<Source> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return foreign.has(entry.name) ? [] : documentsBelow(path)
    if (!entry.isFile() || !entry.name.endsWith(".md")) return []
    return [{ path: relative(root, path).split(sep).join("/"), text: readFileSync(path, "utf8") }]
  })

/** Every Markdown file of the repository. */
export const documents = documentsBelow(root)

/** A document without its fenced blocks of code. */
export const withoutFences = (text: string): string =>
  text.replace(/^( *)(```+|~~~+).*\n[\s\S]*?^ *\2[`~]*\s*$/gm, "")
const withoutCode = (text: string): string => withoutFences(text).replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "")

/** The anchor that GitHub gives a heading: lower case, punctuation dropped, spaces to hyphens. */
export const slugOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-")

/** All anchors of a document; the second heading of a name ends in `-1`. */
export const anchorsOf = (text: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, heading = ""] of withoutFences(text).matchAll(
    /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/gm,
  )) {
    const slug = slugOf(heading)
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** Where a document's links lead: those to files of the repository and to headings. */
export const linksOf = (text: string): ReadonlyArray<string> => {
  const code = withoutCode(text)
  const inline = [...code.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
  const references = [...code.matchAll(/^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?/gm)]
  return [...inline, ...references]
    .map(([, target = ""]) => target)
    .filter((target) => !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target))
}

/** What a source cites of the documents: `docs/` and a page's path, perhaps with an anchor. */
export const citationsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?<![\w/.-])docs\/[\w./-]*\.md(?:#[\w-]*)?/g)].map(([citation]) => citation)
