/** Which direction of a metric is better, if any. */
export type Direction = "up" | "down" | "neither"

/** Metrics of the bench itself and the machine's other processes: they describe the measurement, not its subject. */
const ofTheBench = /\bof (?:the load|anything else)\b|\blateness\b/i

const byUnit: Readonly<Record<string, Direction>> = {
  "1/s": "up",
  ns: "down",
  us: "down",
  ms: "down",
  s: "down",
  cores: "down",
  B: "down",
  KiB: "down",
  MiB: "down",
  count: "down",
}

/** By unit: more throughput is better; less time, CPU, bytes and calls are better. A share (`%`) can be of anything. */
export const directionOf = ({ name, unit }: { readonly name: string; readonly unit: string }): Direction =>
  ofTheBench.test(name) || !Object.hasOwn(byUnit, unit) ? "neither" : (byUnit[unit] ?? "neither")
