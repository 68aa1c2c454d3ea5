import { setTimeout as sleep } from "node:timers/promises"

/** Looks every `stepMillis` until it is done, or for `timeoutMillis`; returns whether it is done. */
export const until = async (
  isDone: () => Promise<boolean>,
  timeoutMillis: number,
  stepMillis = 50,
): Promise<boolean> => {
  const deadline = performance.now() + timeoutMillis
  while (!(await isDone())) {
    if (performance.now() > deadline) return false
    await sleep(stepMillis)
  }
  return true
}
