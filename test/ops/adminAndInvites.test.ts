import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compareSync } from "bcryptjs"
import { Schema } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { ErrorEnvelope } from "../../schema/errors.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { backupCodesKey, userEmailKey, userKey } from "../../src/store/keys.ts"
import { useEmptyRedis } from "../support/fileRedis.ts"
import { type OpsRun, runOps } from "./cli.ts"

const encryptionKey = new Uint8Array(32).fill(7)
const password = "correct horse battery"
const dayMillis = 24 * 60 * 60 * 1000

const server = useEmptyRedis()

const ops = (...args: ReadonlyArray<string>) =>
  runOps(args, {
    REDIS_URL: server.url,
    ENCRYPTION_KEY: Buffer.from(encryptionKey).toString("base64"),
    PUBLIC_URL: "https://corrente.example",
  })

/** The document of a run that must succeed and print nothing to stderr but the log line of a sent mail. */
const documentOf = ({ exitCode, stderr, stdout, document }: OpsRun) => {
  expect(
    { exitCode, stderr: stderr.replace(/^\[.*\] INFO .*: mail invite was sent to example\.com\n$/, "") },
    stdout,
  ).toEqual({
    exitCode: 0,
    stderr: "",
  })
  return document
}

/** The error of a run that must fail, after checking its form. */
const errorOf = (done: OpsRun) => {
  expect(done.exitCode).toBe(1)
  expect(done.stderr).toBe("")
  expect(Schema.is(ErrorEnvelope)(done.document)).toBe(true)
  const { code, param, message } = done.document.error
  return { code, param, message }
}

const createAdmin = (email: string) => ops("admin", "create", "--email", email, "--password", password)

describe("ops admin create", () => {
  it("ops admin create makes an operator with 2FA on, and prints its user id, e-mail and TOTP secret", async () => {
    const document = documentOf(await createAdmin("Op@Example.com"))
    expect(Object.keys(document).sort()).toEqual([
      ...["backup_codes", "email", "totp_secret", "totp_uri", "user_id"],
    ])
    expect(new URL(document.totp_uri).searchParams.get("secret")).toBe(document.totp_secret)
    expect(document.backup_codes).toHaveLength(10)
    expect(await server.redis.scard(backupCodesKey(document.user_id))).toBe(10)
    expect(document.email.toLowerCase()).toBe("op@example.com")
    expect(document.totp_secret).toMatch(/^[A-Z2-7]{32,}$/)

    const user = await server.redis.hgetall(userKey(document.user_id))
    expect(user).toMatchObject({ role: "admin", two_factor_enabled: "1" })
    expect(user.seller_id ?? "").toBe("")
    const digest = createHash("sha256").update(password).digest("base64")
    expect(compareSync(digest, user.password_hash ?? "")).toBe(true)
    expect(
      makeCipher(plainKey(encryptionKey)).open(
        user.totp_secret ?? "",
        sealedPlaces.totpSecret(document.user_id),
      ),
    ).toBe(document.totp_secret)
    expect(await server.redis.get(userEmailKey("op@example.com"))).toBe(document.user_id)
  })

  it("ops admin create refuses an address that is taken, whatever its case, and changes nothing", async () => {
    const { user_id } = documentOf(await createAdmin("op@example.com"))
    const before = await server.redis.hgetall(userKey(user_id))
    expect(errorOf(await createAdmin("OP@example.com"))).toMatchObject({
      code: "invalid_state",
      param: "email",
    })
    expect(await server.redis.hgetall(userKey(user_id))).toEqual(before)
  })

  it("ops admin create takes the password from a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "corrente-ops-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, "password")
    writeFileSync(file, `${password}\n`)
    const made = await ops("admin", "create", "--email", "op@example.com", "--password-file", file)
    const { user_id } = documentOf(made)
    const hash = (await server.redis.hget(userKey(user_id), "password_hash")) ?? ""
    expect(compareSync(createHash("sha256").update(password).digest("base64"), hash)).toBe(true)
  })

  it("ops admin create names the option that is wrong or missing, and does not show the password", async () => {
    const short = await ops("admin", "create", "--email", "op@example.com", "--password", "hush hush")
    expect(errorOf(short)).toMatchObject({ code: "validation_failed", param: "password" })
    expect(short.stdout).not.toContain("hush")
    const named = await ops("admin", "create", "--email", "op@example.com", "--password", "corrente123456")
    expect(errorOf(named)).toMatchObject({ code: "validation_failed", param: "password" })
    expect(errorOf(await ops("admin", "create", "--email", "op", "--password", password))).toMatchObject({
      code: "validation_failed",
      param: "email",
    })
    expect(errorOf(await ops("admin", "create", "--email", "op@example.com"))).toMatchObject({
      code: "validation_failed",
      param: "password",
    })
    expect(await server.redis.keys("user*")).toEqual([])
  })
})

describe("ops invite create", () => {
  it("ops invite create mails an invite of 7 days, and no key of Redis but the mail holds its token", async () => {
    const document = documentOf(await ops("invite", "create", "--email", "ana@example.com"))
    expect(document).toMatchObject({ email: "ana@example.com" })
    expect(document.id).toMatch(/^inv_[0-9A-HJKMNP-TV-Z]{26}$/)
    const lifeMillis = Date.parse(document.expires_at) - Date.now()
    expect(Math.abs(lifeMillis - 7 * dayMillis)).toBeLessThan(60_000)

    const { data } = documentOf(await ops("mail", "list"))
    expect(data).toMatchObject([{ to: "ana@example.com" }])
    const link = new URL(/https:\/\/corrente\.example\/\S+/.exec(data[0].text)?.[0] ?? "")
    const token = link.searchParams.get("invite_token") ?? ""
    expect(token).toMatch(/^[A-Za-z0-9_-]{43,80}$/)
    expect(document).toMatchObject({ token, url: link.href })

    const elsewhere = (await server.redis.keys("*")).filter((key) => key !== "mail")
    for (const key of elsewhere) {
      expect(key).not.toContain(token)
      expect(String(await server.redis.dump(key))).not.toContain(token)
    }
  })

  it("ops invite create refuses an invalid address, and the address of a user", async () => {
    expect(errorOf(await ops("invite", "create", "--email", "ana"))).toMatchObject({
      code: "validation_failed",
      param: "email",
    })
    expect(errorOf(await ops("invite", "create", "--email", "ana@127.0.0.1"))).toMatchObject({
      code: "validation_failed",
      param: "email",
    })
    expect(errorOf(await ops("invite", "create"))).toMatchObject({
      code: "validation_failed",
      param: "email",
    })
    documentOf(await createAdmin("op@example.com"))
    expect(errorOf(await ops("invite", "create", "--email", "op@example.com"))).toMatchObject({
      code: "invalid_state",
      param: "email",
    })
    expect(await server.redis.keys("mail")).toEqual([])
  })
})

describe("ops mail", () => {
  it("ops mail and ops mail list print the newest mail first", async () => {
    for (const name of ["ana", "rui"]) {
      documentOf(await ops("invite", "create", "--email", `${name}@example.com`))
    }
    const { data } = documentOf(await ops("mail", "list"))
    expect(data.map(({ to }: { readonly to: string }) => to)).toEqual(["rui@example.com", "ana@example.com"])
    for (const mail of data) {
      expect(mail.id).toMatch(/^\d+-\d+$/)
      expect(Date.now() - Date.parse(mail.sent_at)).toBeLessThan(60_000)
      expect(mail.subject).not.toBe("")
    }
    expect(documentOf(await ops("mail"))).toEqual({ data })
  })
})
