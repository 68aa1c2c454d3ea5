import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const versionOf = (program: string): string => {
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" })
  return stdout?.trim() ?? ""
}

/** A Node of this major version: the one that runs the tests, or one of the PATH; undefined if there is none. */
export const findNode = (major: number): string | undefined => {
  const onPath = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"))
  return [process.execPath, ...onPath]
    .filter((program) => existsSync(program))
    .find((program) => versionOf(program).startsWith(`v${major}.`))
}

/** Runs `test/client/programs/<name>` under a Node, with the compiled client; answers the JSON that it printed. */
export const runProgram = (
  node: string,
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<unknown> => {
  const program = fileURLToPath(new URL(`../programs/${name}`, import.meta.url))
  const child = spawn(node, [program], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 240_000,
    killSignal: "SIGKILL",
  })
  let printed = ""
  let complaints = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text
  })
  return new Promise((done, failed) => {
    child.once("error", failed)
    child.once("close", (code) => {
      if (code === 0) done(JSON.parse(printed))
      else failed(new Error(`${name} under ${node} ended with ${code}: ${complaints}`))
    })
  })
}
