import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { plainText } from "./settingKinds.ts"
import type { SettingReader } from "./settingReader.ts"

const pathKind = plainText(4_096)

/** The problem with a PEM file, if any; `what` is the label it must contain. */
const pemProblem = (name: string, path: string, what: "CERTIFICATE" | "PRIVATE KEY"): string | undefined => {
  try {
    if (new RegExp(`-----BEGIN (?:[A-Z]+ )?${what}-----`).test(readFileSync(path, "utf8"))) return undefined
    const missing = what === "CERTIFICATE" ? "no certificate" : "no private key"
    return `${name} ${path} holds ${missing}. Point it at a PEM file.`
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error)
    return `${name} ${path} cannot be read (${reason}). Point it at a PEM file that this user may read.`
  }
}

/** The absolute path of a PEM file that can be read; undefined where the setting is not set or wrong. */
export const readPemPath = (
  reader: SettingReader,
  name: string,
  what: "CERTIFICATE" | "PRIVATE KEY",
): string | undefined => {
  const given = reader.optional(name, pathKind, "Point it at a PEM file.")
  if (given === undefined) return undefined
  const path = resolve(given)
  const problem = pemProblem(name, path, what)
  if (problem !== undefined) reader.refuse(problem)
  return path
}
