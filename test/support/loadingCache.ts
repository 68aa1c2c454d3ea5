/**
 * Node's variable by which processes of tests share compiled code: hundreds start in a run. `npm test` sets it
 * (`scripts/with-node22.mjs`).
 */
export const loadingCache = {
  ...(process.env.NODE_COMPILE_CACHE === undefined
    ? {}
    : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
}
