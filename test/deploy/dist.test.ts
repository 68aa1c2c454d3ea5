import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { run } from "../ops/cli.ts"
import { startService } from "../support/service.ts"
import { copyDist } from "./distCopies.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

it("dist serves everything and signs people in where no source and no other package is", async ({
  onTestFinished,
}) => {
  const { folder, command, remove } = copyDist()
  onTestFinished(remove)
  const service = await startService({
    command,
    env: { PROCESSES: "2", PASSWORD_COST: "6" },
  })
  onTestFinished(({ task }) => service.stop({ task }))

  for (const path of ["/ready", "/app/", "/docs", "/docs/openapi.json", "/docs/events", "/openapi.json"]) {
    expect([path, (await fetch(service.url + path)).status]).toEqual([path, 200])
  }
  // The pages of payments, and their files.
  expect((await fetch(`${service.url}/pay/none`)).status).toBe(404)

  // Threads hash a password of this cost.
  const json = { "content-type": "application/json", origin: service.url }
  const ops = await run(
    process.execPath,
    [
      ...[join(folder, "dist/ops.mjs"), "seller", "create", "--email", "ana@example.com", "--name", "Ana"],
      ...["--password", "a long enough sentence"],
    ],
    { DATA_DIR: service.dataDir, PASSWORD_COST: "6" },
  )
  expect(ops).toMatchObject({ exitCode: 0 })
  const signedIn = await fetch(`${service.url}/v1/me/auth/sign-in/email`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ email: "ana@example.com", password: "a long enough sentence" }),
  })
  expect([signedIn.status, await signedIn.text()]).toEqual([200, expect.any(String)])
})

it("a trace names lines of the sources", async () => {
  const { stderr } = await run(process.execPath, [
    "--enable-source-maps",
    "--input-type=module",
    "--eval",
    `process.stdout.on = () => { throw new Error("no listeners") }
     await import(${JSON.stringify(join(root, "dist/ops.mjs"))})`,
  ])
  expect(stderr).toContain("src/ops/main.ts:5")
})
