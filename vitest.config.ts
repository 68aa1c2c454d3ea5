import { defineConfig } from "vitest/config"

/** Real servers, real timers and real crashes run in these tests; the limit is for a hang, not for a busy machine. */
const timeoutMillis = 300_000

export default defineConfig({
  test: {
    environment: "node",
    include: ["test/**/*.test.ts"],
    passWithNoTests: false,
    pool: "forks",
    maxWorkers: 2,
    testTimeout: timeoutMillis,
    hookTimeout: timeoutMillis,
    expect: { poll: { timeout: timeoutMillis } },
    reporters: ["default", "./test/support/closingLineReporter.ts"],
  },
})
