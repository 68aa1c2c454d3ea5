/** Result of running a function many times. */
export interface MicroResult {
  readonly iterations: number
  readonly nanosPerOperation: number
  /** Keeps the work from being optimised away; the same in every round. */
  readonly checksum: number
}

/** A single function to measure. */
export interface MicroBench {
  readonly name: string
  readonly run: (iterations: number) => MicroResult | Promise<MicroResult>
}

const resultOf = (startedAt: bigint, iterations: number, checksum: number): MicroResult => ({
  iterations,
  nanosPerOperation: Number(process.hrtime.bigint() - startedAt) / iterations,
  checksum,
})

/** Benches `operation` on the inputs in turn; the checksum covers its results' lengths. */
export const microBench = <A>(
  name: string,
  inputs: ReadonlyArray<A>,
  operation: (input: A) => { readonly length: number },
): MicroBench => ({
  name,
  run: (iterations) => {
    let checksum = 0
    const startedAt = process.hrtime.bigint()
    for (let done = 0; done < iterations; ) {
      for (const input of inputs) {
        if (done++ === iterations) break
        checksum += operation(input).length
      }
    }
    return resultOf(startedAt, iterations, checksum)
  },
})

/** Benches asynchronous work; `work` repeats it `count` times and returns the checksum. */
export const asyncMicroBench = (name: string, work: (iterations: number) => Promise<number>): MicroBench => ({
  name,
  run: async (iterations) => {
    const startedAt = process.hrtime.bigint()
    const checksum = await work(iterations)
    return resultOf(startedAt, iterations, checksum)
  },
})
