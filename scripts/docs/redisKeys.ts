// Usage: npm run docs:keys
//
// Writes the tables of docs/redis-keys.md from the table of keys in src/store/keys/. The text around them is written by hand.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { KeyKind } from "../../src/store/keys/keyKind.ts"
import { keyTable } from "../../src/store/keys/table.ts"

const page = new URL("../../docs/redis-keys.md", import.meta.url)

const tags: Readonly<Record<string, string>> = { tag: "{pNN}", slot: "{uN}", claims: "{cXX}" }

/** A name as people read it: `events:{pNN}:<seller>:<mode>`. */
const shownName = ({ name, parts, values }: KeyKind): string =>
  name(
    ...parts.map((part) => {
      const [value, ...others] = values?.[part] ?? []
      return value !== undefined && others.length === 0 ? value : (tags[part] ?? `<${part}>`)
    }),
  )

/** Details that begin with a capital are a sentence of their own. */
const what = ({ holds, details }: KeyKind): string =>
  details === undefined ? holds : `${holds}${/^[A-Z]/.test(details) ? "." : ":"} ${details}`
const shownType = ({ type }: KeyKind): string => type.replace(/^set by/, "sorted set by")

const row = (...cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const keyRows = (kinds: ReadonlyArray<KeyKind>): ReadonlyArray<string> => [
  row("key", "type", "what", "lifetime"),
  "|---|---|---|---|",
  ...kinds.map((kind) => row(`\`${shownName(kind)}\``, shownType(kind), what(kind), kind.lifetime)),
]

const channelRows = (kinds: ReadonlyArray<KeyKind>): ReadonlyArray<string> => [
  row("channel", "message"),
  "|---|---|",
  ...kinds.map((kind) => row(`\`${shownName(kind)}\``, what(kind))),
]

const tableOf = (kinds: ReadonlyArray<KeyKind>): string =>
  (kinds.every(({ type }) => type === "channel") ? channelRows(kinds) : keyRows(kinds)).join("\n")

/** The page with its tables made anew. Throws if a section of the table of keys has no place in it. */
export const withTables = (text: string): string =>
  Object.entries(keyTable).reduce((made, [section, kinds]) => {
    const [start, end] = [`<!-- keys: ${section} -->\n`, "\n<!-- end of keys -->"]
    const from = made.indexOf(start) + start.length
    const to = made.indexOf(end, from)
    if (from < start.length || to < 0) throw new Error(`docs/redis-keys.md has no place for ${section}`)
    return made.slice(0, from) + tableOf(Object.values(kinds)) + made.slice(to)
  }, text)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(page, withTables(readFileSync(page, "utf8")))
}
