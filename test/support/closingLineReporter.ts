import type { Reporter } from "vitest/node"

/**
 * Ends a test run with one plain line, `N passed, N failed`, for programs to read. A file that could not be
 * loaded and an error outside of any test count as one failure each, so that the line never looks better than the run.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules, unhandledErrors) => {
    const statesOf = (module: (typeof modules)[number]) =>
      [...module.children.allTests()].map((test) => test.result().state)
    const states = modules.flatMap(statesOf)
    const failedToLoad = modules.filter(
      (module) => module.state() === "failed" && !statesOf(module).includes("failed"),
    )
    const passed = states.filter((state) => state === "passed").length
    const failed = states.filter((state) => state === "failed").length
    // At exit, because the other reporters print their summaries in this same callback.
    process.once("exit", () => {
      process.stdout.write(
        `${passed} passed, ${failed + failedToLoad.length + unhandledErrors.length} failed\n`,
      )
    })
  }
}
