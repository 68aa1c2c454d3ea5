// Usage: npm run check
//
// Runs the static checks: hashes in the lockfile, types, lint, format. Each runs even if an earlier one failed; the
// exit code is 1 if any did.
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, "node_modules")

const steps = [
  {
    name: "Hashes of all packages (package-lock.json)",
    command: [join(root, "scripts", "checkLockfile.ts")],
  },
  { name: "Types (tsc)", command: [join(modules, "typescript", "bin", "tsc"), "--noEmit", "-p", "."] },
  {
    name: "Types of the client, with those of browsers alone (tsc)",
    command: [join(modules, "typescript", "bin", "tsc"), "--noEmit", "-p", "client"],
  },
  {
    name: "Types of the dashboard's pages (tsc)",
    command: [join(modules, "typescript", "bin", "tsc"), "--noEmit", "-p", "web"],
  },
  { name: "Lint (biome)", command: [join(modules, "@biomejs", "biome", "bin", "biome"), "lint", "."] },
  {
    name: "Format and import order (biome)",
    command: [join(modules, "@biomejs", "biome", "bin", "biome"), "check", "--linter-enabled=false", "."],
  },
]

const failed = steps.filter(({ name, command }) => {
  process.stdout.write(`== ${name}\n`)
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" })
  process.stdout.write(`== ${name}: ${status === 0 ? "ok" : "FAILED"}\n`)
  return status !== 0
})

process.exitCode = failed.length === 0 ? 0 : 1
