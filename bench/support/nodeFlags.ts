import { readFileSync } from "node:fs"

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly scripts: { readonly start: string }
}

/** Flags that `npm start` gives to Node. All servers of a suite that run on Node have them: none has more room than another. */
export const nodeFlags: ReadonlyArray<string> = scripts.start
  .split(" ")
  .filter((word) => word.startsWith("--"))
