import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import fc from "fast-check"
import { afterAll } from "vitest"
import { encryptionKeysMax, parseEncryptionKeys } from "../../src/config/encryptionKey.ts"
import { loadSettings } from "../../src/config/settings.ts"

const scratch = mkdtempSync(join(tmpdir(), "corrente-encryption-keys-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,16}$/)
const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const key = fc.record({ id, bytes })
const keys = fc
  .uniqueArray(key, { minLength: 1, maxLength: encryptionKeysMax, selector: ({ id: one }) => one })
  .filter((all) => new Set(all.map((one) => Buffer.from(one.bytes).toString("hex"))).size === all.length)
const base64 = (value: Uint8Array) => Buffer.from(value).toString("base64")
const textOf = (one: { readonly id: string; readonly bytes: Uint8Array }) => `${one.id}:${base64(one.bytes)}`

const some = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `k${i}`, bytes: randomBytes(32) }))

describe("ENCRYPTION_KEY", () => {
  it("one key or several, with whatever ids, are read as they stand, newest first, with or without spaces", () => {
    fc.assert(
      fc.property(keys, fc.constantFrom("", " ", "\n", " \t"), (all, gap) => {
        assert.deepStrictEqual(
          parseEncryptionKeys(all.map((one) => gap + textOf(one) + gap).join(",")),
          all as unknown as ReturnType<typeof parseEncryptionKeys>,
        )
      }),
    )
  })

  it("a key without an id has the id 0, alone and among others", () => {
    fc.assert(
      fc.property(bytes, key, (plain, other) => {
        fc.pre(other.id !== "0" && base64(plain) !== base64(other.bytes))
        assert.deepStrictEqual(parseEncryptionKeys(base64(plain)), [{ id: "0", bytes: plain }])
        assert.deepStrictEqual(parseEncryptionKeys(`${textOf(other)},${base64(plain)}`), [
          other,
          { id: "0", bytes: plain },
        ])
      }),
    )
  })

  it("as many keys as the limit are read, and one more is refused", () => {
    assert.strictEqual(
      parseEncryptionKeys(some(encryptionKeysMax).map(textOf).join(","))?.length,
      encryptionKeysMax,
    )
    assert.isUndefined(
      parseEncryptionKeys(
        some(encryptionKeysMax + 1)
          .map(textOf)
          .join(","),
      ),
    )
  })

  it("an id of 16 characters is read, and one of 17 or with another character is refused", () => {
    const value = base64(randomBytes(32))
    assert.strictEqual(parseEncryptionKeys(`${"i".repeat(16)}:${value}`)?.[0].id, "i".repeat(16))
    for (const wrong of ["i".repeat(17), "", "a.b", "a b", "ã", "a:b", "enc:v2"]) {
      assert.isUndefined(parseEncryptionKeys(`${wrong}:${value}`), wrong)
    }
  })

  it("two keys of one id, one key under two ids, an empty item and a key of another length are refused", () => {
    const [one, two] = [base64(randomBytes(32)), base64(randomBytes(32))]
    const wrong = [
      ...[`a:${one},a:${two}`, `${one},${two}`, `0:${one},${two}`, `a:${one},b:${one}`],
      ...[`a:${one},`, `,a:${one}`, `a:${one},,b:${two}`, ",", "", "a:", `a:${one};b:${two}`],
      ...[31, 33].map((length) => `a:${base64(randomBytes(length))}`),
    ]
    for (const text of wrong) assert.isUndefined(parseEncryptionKeys(text), text)
  })

  it("no text makes the parser throw, and what it reads is a list of different keys of 32 bytes", () => {
    const item = fc.oneof(fc.string(), key.map(textOf), bytes.map(base64), id)
    fc.assert(
      fc.property(fc.array(item, { maxLength: 10 }), fc.constantFrom(",", ":", ";", ""), (items, between) => {
        const read = parseEncryptionKeys(items.join(between))
        if (read === undefined) return
        assert.isTrue(read.every((one) => one.bytes.length === 32))
        assert.strictEqual(new Set(read.map((one) => one.id)).size, read.length)
      }),
    )
  })

  it.effect("a wrong list is refused without showing a key, and says what it must be", () =>
    Effect.gen(function* () {
      const [one] = some(1).map(textOf)
      const { problems } = yield* Effect.flip(loadSettings({ ENCRYPTION_KEY: `${one},${one}` }))
      assert.strictEqual(problems.length, 1)
      assert.match(
        problems[0] ?? "",
        /^ENCRYPTION_KEY \(value not shown\) must be 32 bytes in base64 .*id:key, newest first/,
      )
      assert.notInclude(problems[0], one)
    }),
  )

  it.effect("development's file of a key may hold several", () =>
    Effect.gen(function* () {
      const dataDir = join(scratch, "data")
      mkdirSync(dataDir)
      const all = some(2)
      writeFileSync(join(dataDir, "encryption.key"), `${all.map(textOf).join(",")}\n`)
      const { encryptionKeys } = yield* loadSettings({ DATA_DIR: dataDir })
      assert.deepStrictEqual(Redacted.value(encryptionKeys).map(textOf), all.map(textOf))
    }),
  )
})
