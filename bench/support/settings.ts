import { readFileSync } from "node:fs"

/** PUBLIC_URL of every side, so that links to payment pages are the same on all. */
export const publicUrl = "http://localhost:3000"

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly scripts: { readonly start: string }
}

/** Flags that `npm start` gives to Node. Every Node server of a suite has them, so that all have the same room. */
export const nodeFlags: ReadonlyArray<string> = scripts.start
  .split(" ")
  .filter((word) => word.startsWith("--"))
