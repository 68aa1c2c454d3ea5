/**
 * Imported before a server of the bench (with --expose-gc): SIGUSR2 makes it collect all garbage and give the memory
 * back, so that what is counted as a stream's is not what opening it left lying about.
 */
process.on("SIGUSR2", () => {
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" })
})
