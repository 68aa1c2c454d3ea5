import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** `dist/` at another place. */
export interface DistCopy {
  readonly folder: string
  /** Runs the service from it. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly read: (path: string) => string
  /** Changes one of its files; fails where the text to replace is not there. */
  readonly edit: (path: string, from: string, to: string) => void
  readonly remove: () => void
}

/** `dist/` as the image has it: copied with its links followed, beside the packages that stay outside it. */
export const copyDist = (): DistCopy => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-dist-"))
  cpSync(join(root, "dist/"), join(folder, "dist"), { recursive: true, dereference: true })
  mkdirSync(join(folder, "node_modules"))
  for (const name of ["uWebSockets.js", "piscina", "pdfkit"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
  const fileOf = (path: string) => join(folder, "dist", path)
  const read = (path: string) => readFileSync(fileOf(path), "utf8")
  return {
    folder,
    read,
    command: [process.execPath, join(folder, "dist/main.mjs")],
    edit: (path, from, to) => {
      const text = read(path)
      if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
      writeFileSync(fileOf(path), text.replace(from, to))
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
