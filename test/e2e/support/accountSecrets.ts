import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The base64 of a text inside a longer one, without the end characters that depend on its neighbours. */
const base64Within = (text: string): ReadonlyArray<string> =>
  [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString("base64")
    const start = offset === 0 ? 0 : offset + 1
    const whole = Math.floor(((offset + Buffer.byteLength(text)) * 8) / 6)
    return encoded.slice(start, whole)
  })

/** Every spelling of a text that is searched for, with its name. */
export const spellingsOf = (text: string): ReadonlyMap<string, string> => {
  const hex = Buffer.from(text).toString("hex")
  const base64 = base64Within(text)
  return new Map([
    [text, "as it is"],
    [encodeURIComponent(text), "URL-encoded"],
    [JSON.stringify(text).slice(1, -1), "as JSON"],
    [hex, "in hex"],
    [hex.toUpperCase(), "in hex"],
    ...base64.map((encoded) => [encoded, "in base64"] as const),
    ...base64.map((encoded) => [encoded.replaceAll("+", "-").replaceAll("/", "_"), "in base64"] as const),
    // Last, so that a spelling that changes nothing gets this name.
    [text, "as it is"],
  ])
}

/** Secrets by name. */
export type Secrets = Readonly<Record<string, string>>

/** The secrets that some bytes contain, and how they are spelled there. */
export const findSecrets = (bytes: Uint8Array | string, secrets: Secrets): ReadonlyArray<string> => {
  const haystack = Buffer.from(bytes)
  return Object.entries(secrets).flatMap(([name, secret]) => {
    if (secret.length < 8) throw new Error(`${name} is too short to be looked for`)
    return [...spellingsOf(secret)]
      .filter(([spelling]) => haystack.includes(spelling))
      .map(([, how]) => `${name} ${how}`)
  })
}

/** The number from a position up to `\r\n`, and the position after that. */
const readNumber = (bytes: Buffer, position: number): readonly [value: number, next: number] => {
  const end = bytes.indexOf("\r\n", position)
  return [Number(bytes.toString("latin1", position, end)), end + 2]
}

/** The commands in an append-only file, each as its arguments; lines that begin with `#` are skipped. */
export const readCommands = (bytes: Buffer): ReadonlyArray<ReadonlyArray<Buffer>> => {
  const commands: Array<ReadonlyArray<Buffer>> = []
  let position = 0
  while (position < bytes.length) {
    const kind = String.fromCharCode(bytes[position] ?? 0)
    const [count, afterCount] = readNumber(bytes, position + 1)
    position = afterCount
    if (kind === "#") continue
    if (kind !== "*") throw new Error(`no command at byte ${position} of the append-only file`)
    const parts: Array<Buffer> = []
    for (let part = 0; part < count; part++) {
      const [length, start] = readNumber(bytes, position + 1)
      parts.push(bytes.subarray(start, start + length))
      position = start + length + 2
    }
    commands.push(parts)
  }
  return commands
}

/** The files below a folder, each with its bytes. */
export const filesBelow = (
  folder: string,
): ReadonlyArray<{ readonly name: string; readonly bytes: Buffer }> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ name: entry.name, bytes: readFileSync(join(entry.parentPath, entry.name)) }))
