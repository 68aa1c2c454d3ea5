import { describe, expect, it } from "vitest"
import { codeOf, sourcesOf } from "./sources.ts"

const ports = sourcesOf(["actors"])
  .filter(({ path }) => path.startsWith("actors/ports/"))
  .map(({ path, text }) => ({ path, code: codeOf(text) }))

describe("files of actors/ports", () => {
  it("each file of actors/ports declares a service", () => {
    expect(ports.length).toBeGreaterThan(20)
    expect(
      ports
        .filter(({ code }) => !/ extends Context\.(?:Service|Reference)</.test(code))
        .map(({ path }) => path),
    ).toEqual([])
  })

  it("files of actors/ports export only services, their errors and types", () => {
    const isOfPort =
      /^export (?:type|interface) |^export class \w+ extends (?:Context\.(?:Service|Reference)|Schema\.TaggedError)</
    const others = ports.flatMap(({ path, code }) =>
      code
        .split("\n")
        .filter((line) => line.startsWith("export") && !isOfPort.test(line))
        .map((line) => `${path}: ${line}`),
    )
    expect(others).toEqual([])
  })
})
