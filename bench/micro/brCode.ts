import { fileURLToPath } from "node:url"
import { makeBrCodeBuilder } from "../../src/acquirers/brCode.ts"
import { encodePngBase64, encodeQrPngBase64, qrModules } from "../../src/acquirers/qrPng.ts"

interface MicroBench {
  readonly name: string
  /** The checksum keeps the work from being optimised away, and is the same in every run. */
  readonly run: (iterations: number) => {
    readonly iterations: number
    readonly nanosPerOperation: number
    readonly checksum: number
  }
}

const buildBrCode = makeBrCodeBuilder({ merchantName: "Padaria São João", merchantCity: "São Paulo" })
const locations = Array.from({ length: 64 }, (_, index) => {
  const hex = (0x1234_5678 * (index + 1)).toString(16).padStart(16, "0").slice(-16)
  return `pix.corrente.test/qr/v2/${hex}${hex}`
})
const payloads = locations.map(buildBrCode)
const matrices = payloads.map(qrModules)

export const brCodeBench = microBench("BR code", locations, buildBrCode)
export const qrMatrixBench = microBench("QR matrix", payloads, qrModules)
export const qrPngBench = microBench("PNG in base64", matrices, encodePngBase64)
export const chargeCodeBench = microBench("the three together", locations, (location) =>
  encodeQrPngBase64(buildBrCode(location)),
)

function microBench<A>(
  name: string,
  inputs: ReadonlyArray<A>,
  operation: (input: A) => { readonly length: number },
): MicroBench {
  const run = (iterations: number) => {
    let checksum = 0
    const startedAt = process.hrtime.bigint()
    for (let done = 0; done < iterations; ) {
      for (const input of inputs) {
        if (done++ === iterations) break
        checksum += operation(input).length
      }
    }
    return {
      iterations,
      nanosPerOperation: Number(process.hrtime.bigint() - startedAt) / iterations,
      checksum,
    }
  }
  return { name, run }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { name, run } of [brCodeBench, qrMatrixBench, qrPngBench, chargeCodeBench]) {
    run(2_000)
    const { iterations, nanosPerOperation } = run(20_000)
    console.log(`${name}: ${(nanosPerOperation / 1000).toFixed(2)} us, ${iterations} times`)
  }
}
