import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Service, startService } from "../support/service.ts"
import { runOps } from "./cli.ts"

let service: Service
beforeAll(async () => {
  service = await startService({})
})
afterAll(() => service?.stop())

const invite = async (email: string, settings: Readonly<Record<string, string>> = {}) => {
  const { document, exitCode } = await runOps(["invite", "create", "--email", email], {
    REDIS_URL: service.redisUrl,
    ENCRYPTION_KEY: Buffer.from(service.encryptionKey).toString("base64"),
    ...settings,
  })
  expect(exitCode, JSON.stringify(document)).toBe(0)
  return document as { readonly url: string; readonly token: string }
}

describe("the link of ops invite create", () => {
  it("an invite's link leads to the running service of the same Redis, whatever PORT the command has", async () => {
    const { url, token } = await invite("ana@example.com", { PORT: "1" })
    expect(url.startsWith(`${service.url}/`), url).toBe(true)
    const { status } = await fetch(`${new URL(url).origin}/v1/me/auth/invites/${token}`)
    expect(status).toBe(200)
  })

  it("an invite's link leads to PUBLIC_URL where that is set for the command", async () => {
    const { url } = await invite("bia@example.com", { PUBLIC_URL: "https://pay.example.com" })
    expect(new URL(url).origin).toBe("https://pay.example.com")
  })
})
