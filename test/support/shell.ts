import { spawn, spawnSync } from "node:child_process"

/** Whether curl is on the PATH. */
export const hasCurl = spawnSync("curl", ["--version"]).error === undefined

/** Runs a script by the machine's `sh`, and returns what it wrote. Fails where it exits with an error. */
export const runShell = (script: string, env: Readonly<Record<string, string>> = {}): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const child = spawn("sh", ["-s"], { env: { PATH: process.env.PATH ?? "", ...env } })
    const output: Array<Buffer> = []
    const errors: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk))
    child.on("error", reject)
    child.on("close", (code) => {
      if (code === 0) resolve(Buffer.concat(output))
      else reject(new Error(`sh exited with ${code}: ${Buffer.concat(errors).toString()}`))
    })
    child.stdin.end(script)
  })

/** Runs a command of `curl`, quietly, trusting a certificate authority. */
export const runCurl = (command: string, caFile: string): Promise<Buffer> =>
  runShell(command, { CURL_CA_BUNDLE: caFile })
