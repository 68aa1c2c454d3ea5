/** What is better: more of it, less of it, or neither. */
export type Direction = "up" | "down" | "neither"

/** What the bench itself and the machine's other processes use: it tells of the measurement, not of what is measured. */
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
}

/** By the unit: throughput is better up; time, CPU and bytes are better down. A share (`%`) may be of anything. */
export const directionOf = ({ name, unit }: { readonly name: string; readonly unit: string }): Direction =>
  ofTheBench.test(name) || !Object.hasOwn(byUnit, unit) ? "neither" : (byUnit[unit] ?? "neither")
