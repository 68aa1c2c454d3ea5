import { readdirSync, readFileSync } from "node:fs"

/** A Lua file: its path in `src/store`, and its text. */
export interface LuaSource {
  readonly path: string
  readonly text: string
}

/** The Lua files of the store, sorted by path: what the function library is made of. */
export const luaSources = (): ReadonlyArray<LuaSource> => {
  const folder = new URL("../", import.meta.url)
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".lua"))
    .sort()
    .map((path) => ({ path, text: readFileSync(new URL(path, folder), "utf8") }))
}
