import { defineConfig } from "vitest/config"
import { filesByProject, type Project } from "./test/layout/projects.ts"
import { loadingCache } from "./test/support/loadingCache.ts"

/** Real servers, real timers and real crashes run in these tests; the limit is for a hang, not for a busy machine. */
const timeoutMillis = 300_000

const files = filesByProject()

const project = (
  name: Project,
  more: { isolate: boolean; maxWorkers: number; sequence: { groupOrder: number } },
) => ({
  test: {
    ...more,
    name,
    include: [...files[name]],
    environment: "node",
    env: loadingCache,
    pool: "forks",
    testTimeout: timeoutMillis,
    hookTimeout: timeoutMillis,
    expect: { poll: { timeout: timeoutMillis } },
  },
})

export default defineConfig({
  test: {
    passWithNoTests: false,
    reporters: ["default", "./test/support/closingLineReporter.ts"],
    projects: [
      // One worker loads the sources once for all of its files: none of them leaves anything behind.
      project("unit", { isolate: false, maxWorkers: 2, sequence: { groupOrder: 0 } }),
      project("server", { isolate: false, maxWorkers: 2, sequence: { groupOrder: 0 } }),
      // Most of them wait: for a service to start, for a retry to fall due.
      project("process", { isolate: false, maxWorkers: 4, sequence: { groupOrder: 1 } }),
    ],
  },
})
