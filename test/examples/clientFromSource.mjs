// Loaded before an example (`--import`): what merchants install as a package is here its source.
import { registerHooks } from "node:module"

const client = new URL("../../client/src/index.ts", import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "@corrente/client" ? { url: client, shortCircuit: true } : next(specifier, context),
})
