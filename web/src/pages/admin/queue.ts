/** Runs at most `max` of the given tasks at a time, the others in order once one has ended. */
export const makeQueue = (max: number) => {
  const waiting: Array<() => void> = []
  let running = 0
  const next = () => {
    running -= 1
    waiting.shift()?.()
  }
  return async <A>(task: () => Promise<A>): Promise<A> => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      return await task()
    } finally {
      next()
    }
  }
}
