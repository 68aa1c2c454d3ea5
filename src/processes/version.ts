import { readFileSync } from "node:fs"

const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8")

/** The service's version, as package.json has it. */
export const { version } = JSON.parse(text) as { readonly version: string }
