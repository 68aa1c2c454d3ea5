import { fileURLToPath } from "node:url"

const bundle = process.env.CORRENTE_TEST_BUNDLE

/**
 * Environment variables that let processes of tests share compiled code, sources without types, and the bundle of the programs
 * (`programBundle.ts`): hundreds of processes start in a run, and each would load the same 1,100 modules.
 */
export const loadingCache = {
  ...(bundle === undefined ? {} : { CORRENTE_TEST_BUNDLE: bundle }),
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url)),
  NODE_OPTIONS: `--import=${new URL("./strippedSources.mjs", import.meta.url).href}`,
} as const
