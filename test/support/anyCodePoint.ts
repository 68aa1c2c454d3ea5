import fc from "fast-check"

const [surrogateMin, surrogateMax, codePointMax] = [0xd800, 0xdfff, 0x10ffff]

/**
 * Any code point but a surrogate, as a `unit` of fast-check's strings. Its own `binary` unit draws from the same, but takes a
 * second of CPU to set up in each worker.
 */
export const anyCodePoint = fc
  .integer({ min: 0, max: codePointMax - (surrogateMax - surrogateMin + 1) })
  .map((nth) => String.fromCodePoint(nth < surrogateMin ? nth : nth + (surrogateMax - surrogateMin + 1)))
