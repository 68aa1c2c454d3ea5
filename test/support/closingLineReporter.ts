import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter } from "vitest/node"

/**
 * Ends a test run with one plain line, `N passed, N failed`, for programs to read. A file that could not be
 * loaded and an error outside of any test count as one failure each, so that the line never looks better than the run.
 *
 * If the environment names a file in FAILED_FILES, the paths of the failed files are written there, one a line, each after the
 * number of its tests that passed and a tab. The path of an error that belongs to no file is `?`.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (modules, unhandledErrors) => {
    const statesOf = (module: (typeof modules)[number]) =>
      [...module.children.allTests()].map((test) => test.result().state)
    const passedIn = (states: ReadonlyArray<string>) => states.filter((state) => state === "passed").length
    const states = modules.flatMap(statesOf)
    const failedToLoad = modules.filter(
      (module) => module.state() === "failed" && !statesOf(module).includes("failed"),
    )
    const failed = states.filter((state) => state === "failed").length

    const failedFiles = new Map<string, number>()
    for (const module of modules) {
      if (module.state() === "failed") failedFiles.set(module.moduleId, passedIn(statesOf(module)))
    }
    for (const { VITEST_TEST_PATH: path } of unhandledErrors) {
      if (typeof path !== "string" || !failedFiles.has(path)) failedFiles.set("?", 0)
    }
    if (process.env.FAILED_FILES !== undefined) {
      const lines = [...failedFiles].map(
        ([path, passed]) => `${passed}\t${path === "?" ? path : relative(process.cwd(), path)}\n`,
      )
      writeFileSync(process.env.FAILED_FILES, lines.join(""))
    }

    // At exit, because the other reporters print their summaries in this same callback.
    process.once("exit", () => {
      process.stdout.write(
        `${passedIn(states)} passed, ${failed + failedToLoad.length + unhandledErrors.length} failed\n`,
      )
    })
  }
}
