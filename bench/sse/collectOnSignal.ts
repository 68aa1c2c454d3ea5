/**
 * Imported before a server of the bench (with --expose-gc): SIGUSR2 collects all garbage and returns the memory, so
 * that garbage from opening streams is not counted as theirs.
 */
process.on("SIGUSR2", () => {
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
})
