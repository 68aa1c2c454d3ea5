import { createHash, type Hash } from "node:crypto"
import { SchemaIssue } from "effect"
import type { UnreadableItem } from "../../../actors/ports/acquirer.ts"
import { idPattern, oneLine } from "./wire.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** What the schema expected where, as `valor: Expected string`. Repeats nothing of the item: a payer's data may be in it. */
export const problemWith = (issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map(String).join(".")
  return oneLine(`${path === "" ? "the item" : path}: ${first?.message ?? "Expected another value"}`)
}

/** Text to be hashed as it is, in between values. */
class Text {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The parts of a value in the order in which they are hashed; names are sorted, since they have no order in JSON. */
const partsOf = (value: object): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) {
    return [new Text("["), ...value.flatMap((one: unknown) => [one, new Text(",")]), new Text("]")]
  }
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return [
    new Text("{"),
    ...fields.flatMap(([name, one]) => [name, new Text(":"), one, new Text(",")]),
    new Text("}"),
  ]
}

/** Hashes JSON of any depth without recursion. */
const hashJson = (hash: Hash, json: unknown): Hash => {
  const waiting = [json]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (next instanceof Text) hash.update(next.text)
    else if (typeof next !== "object" || next === null) hash.update(JSON.stringify(next))
    else for (const part of partsOf(next).toReversed()) waiting.push(part)
  }
  return hash
}

const idAt = (item: unknown, name: string): string | undefined => {
  if (typeof item !== "object" || item === null) return undefined
  const id = (item as Readonly<Record<string, unknown>>)[name]
  return typeof id === "string" && idPattern.test(id) ? id : undefined
}

/** Describes an item of a list that cannot be read. Its digest is of the list's name and the item's content. */
export const unreadableItem = (
  list: string,
  item: unknown,
  position: number,
  problem: string,
): UnreadableItem => ({
  position,
  digest: hashJson(createHash("sha256").update(`${list}\n`), item).digest("hex"),
  endToEndId: idAt(item, "endToEndId") ?? idAt(item, "e2eId"),
  payoutId: idAt(item, "idEnvio"),
  txid: idAt(item, "txid"),
  problem,
})
