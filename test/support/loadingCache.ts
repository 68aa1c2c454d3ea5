import { fileURLToPath } from "node:url"

const hooks = new URL("./strippedSources.mjs", import.meta.url)
// The folder's name; absent in tests that start nothing.
hooks.search = process.env.CORRENTE_TEST_BUNDLE ?? ""

/**
 * Node's environment variables that let processes of tests share compiled code, sources without types, and the bundle of the
 * programs (`programBundle.ts`): hundreds of processes start in a run, and each would load the same 1,100 modules.
 */
export const loadingCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url)),
  NODE_OPTIONS: `--import=${hooks.href}`,
} as const
