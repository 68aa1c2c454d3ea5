import { describe, expect, it } from "vitest"
import { useEmptyRedis } from "../support/fileRedis.ts"
import { runOps } from "./cli.ts"

const server = useEmptyRedis()

const ops = async (...args: ReadonlyArray<string>) => {
  const settings = { REDIS_URL: server.url, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") }
  const { document, stderr } = await runOps(args, settings)
  expect(stderr).toBe("")
  return document
}
const password = "correct horse battery"
const createAdmin = (email: string) => ops("admin", "create", "--email", email, "--password", password)
const createSeller = (email: string) =>
  ops("seller", "create", "--email", email, "--password", password, "--name", "Loja")
const byEmail = (who: string, act: string, email: string) => ops(who, act, "--email", email)

/** The newest entries of the operators' log: what was done, and by whom. */
const logged = async () => {
  const entries = await server.redis.xrevrange("audit", "+", "-")
  return entries.map(([, values]) => [values[1], values[3]])
}

describe("ops admin disable and enable", () => {
  it("ops admin disable leaves one operator who is enabled, and says which command helps", async () => {
    await createAdmin("ana@example.com")
    const refusal = await byEmail("admin", "disable", "ana@example.com")
    expect(refusal.error).toMatchObject({ code: "invalid_state" })
    expect(await logged()).toEqual([])

    const rui = await createAdmin("rui@example.com")
    expect(await byEmail("admin", "disable", "RUI@example.com")).toEqual({
      ...{ user_id: rui.user_id, email: "rui@example.com", status: "disabled" },
    })
    expect((await byEmail("admin", "disable", "ana@example.com")).error.code).toBe("invalid_state")
    expect((await byEmail("user", "disable", "ana@example.com")).error.code).toBe("invalid_state")
    expect(await byEmail("admin", "enable", "rui@example.com")).toMatchObject({ status: "active" })
    expect(await byEmail("admin", "disable", "ana@example.com")).toMatchObject({ status: "disabled" })
    expect(await logged()).toEqual([
      ["user.disabled", ""],
      ["user.enabled", ""],
      ["user.disabled", ""],
    ])
  })

  it("ops admin disable and enable name operators only", async () => {
    await createSeller("loja@example.com")
    for (const act of ["disable", "enable"]) {
      for (const email of ["loja@example.com", "nobody@example.com"]) {
        expect((await byEmail("admin", act, email)).error).toMatchObject({
          ...{ code: "resource_not_found", param: "email" },
        })
      }
    }
  })
})

describe("ops user disable, enable and end-sessions", () => {
  it("ops user disables and enables a seller's user, and tells its status", async () => {
    const { user_id } = await createSeller("loja@example.com")
    const shown = (status: string) => ({ user_id, email: "loja@example.com", status })
    expect(await byEmail("user", "disable", "loja@example.com")).toEqual(shown("disabled"))
    expect(await byEmail("user", "end-sessions", "loja@example.com")).toEqual(shown("disabled"))
    expect(await byEmail("user", "enable", "loja@example.com")).toEqual(shown("active"))
    expect(await byEmail("user", "end-sessions", "loja@example.com")).toEqual(shown("active"))
  })

  it("ops user works on operators, too, and names an unknown address as such", async () => {
    await createAdmin("ana@example.com")
    expect(await byEmail("user", "end-sessions", "ana@example.com")).toMatchObject({ status: "active" })
    for (const act of ["disable", "enable", "end-sessions"]) {
      expect((await byEmail("user", act, "nobody@example.com")).error).toMatchObject({
        ...{ code: "resource_not_found", param: "email" },
      })
    }
  })
})
