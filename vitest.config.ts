import { defineConfig } from "vitest/config"
import { filesByProject, type Project } from "./test/layout/projects.ts"
import { loadingCache } from "./test/support/loadingCache.ts"
import { memoryFolder } from "./test/support/memoryFolder.ts"

/** Real servers, real timers and real crashes run in these tests; the limit is for a hang, not for a busy machine. */
const timeoutMillis = 300_000
/** Less, so that a hang is told with the line that polls, and not with the test alone. */
const pollTimeoutMillis = 240_000

const files = filesByProject()

const TMPDIR = process.env.TMPDIR ?? memoryFolder()

/** Tests of `unit` that run at once, those of the store in memory on real time, wait: together instead of five by five. */
const together = { maxConcurrency: 64 }

const project = (
  name: Project,
  more: { isolate: boolean; maxWorkers: number; sequence: { groupOrder: number } },
) => ({
  test: {
    ...more,
    name,
    include: [...files[name]],
    environment: "node",
    env: { ...loadingCache, ...(TMPDIR === undefined ? {} : { TMPDIR }) },
    pool: "forks",
    // Node imports what it would import elsewhere: Vite's own form of modules makes each use of an import a lookup.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // As `npm start` does: a seventh of the CPU of tests was collecting garbage.
    execArgv: ["--max-semi-space-size=64"],
    testTimeout: timeoutMillis,
    hookTimeout: timeoutMillis,
    expect: { poll: { timeout: pollTimeoutMillis } },
  },
})

export default defineConfig({
  test: {
    passWithNoTests: false,
    reporters: ["default", "./test/support/closingLineReporter.ts"],
    projects: [
      // One worker loads the sources once for all of its files: none of them leaves anything behind.
      project("unit", { isolate: false, maxWorkers: 3, sequence: { groupOrder: 0 }, ...together }),
      // Each drives processes of its own: more at once would starve each other on the two cores of a hosted machine.
      project("server", { isolate: false, maxWorkers: 4, sequence: { groupOrder: 1 } }),
      project("process", { isolate: false, maxWorkers: 4, sequence: { groupOrder: 1 } }),
    ],
  },
})
