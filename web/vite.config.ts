import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"

/** Where the service is that the pages of the development server call. */
const service = process.env.CORRENTE_URL ?? "http://localhost:3000"

/** The paths of the service that pages call. */
const called = ["/v1", "/events", "/pay", "/docs", "/openapi", "/health", "/ready"]

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/app/",
  cacheDir: fileURLToPath(new URL("../node_modules/.cache/vite", import.meta.url)),
  publicDir: false,
  envDir: false,
  logLevel: "warn",
  build: {
    // Every file of its own and with its hash: the policy of the pages forbids what is inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    license: { fileName: "licenses.md" },
  },
  experimental: {
    // Scripts and styles name each other by where they are, so that a proxy may put the service below a path.
    renderBuiltUrl: (_, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  // The Host of the page stays, by which the service knows its own pages.
  server: { proxy: Object.fromEntries(called.map((path) => [path, { target: service }])) },
})
