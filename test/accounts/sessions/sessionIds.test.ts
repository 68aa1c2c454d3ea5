import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { publicSessionId, sessionUuidOf } from "../../../src/accounts/sessions/session.ts"

const uuid = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).map((value) => {
  const hex = value.toString(16).padStart(32, "0")
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
})

describe("a session's public id", () => {
  it("a session's public id names the same session as its UUID", () => {
    fc.assert(
      fc.property(uuid, (id) => {
        const shown = publicSessionId(id)
        expect(shown).toMatch(/^ses_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
        expect(sessionUuidOf(shown)).toBe(id)
        expect(sessionUuidOf(id)).toBe(id)
      }),
    )
  })

  it("different sessions have different public ids", () => {
    fc.assert(
      fc.property(uuid, uuid, (one, other) => {
        expect(publicSessionId(one) === publicSessionId(other)).toBe(one === other)
      }),
    )
  })

  it("a session's public id is Crockford's base32 of its UUID's 128 bits", () => {
    expect(publicSessionId("00000000-0000-0000-0000-000000000000")).toBe(`ses_${"0".repeat(26)}`)
    expect(publicSessionId("ffffffff-ffff-ffff-ffff-ffffffffffff")).toBe(`ses_7${"Z".repeat(25)}`)
    // The example of the ULID specification, as the UUID that it is.
    expect(publicSessionId("01563e3a-b5d3-d676-4c61-efb99302bd5b")).toBe("ses_01ARZ3NDEKTSV4RRFFQ69G5FAV")
  })

  it("a malformed session id names no session", () => {
    const malformed = [
      ...["", "ses_", "ses", `ses_${"0".repeat(25)}`, `ses_${"0".repeat(27)}`, "0".repeat(26)],
      // More than 128 bits.
      ...[`ses_8${"0".repeat(25)}`, `ses_${"Z".repeat(26)}`],
      ...["I", "L", "O", "U", "a", "é", "-", " ", "%"].map((odd) => `ses_${"0".repeat(25)}${odd}`),
      ...[
        `SES_${"0".repeat(26)}`,
        `txn_${"0".repeat(26)}`,
        ` ses_${"0".repeat(26)}`,
        `ses_${"0".repeat(26)}\n`,
      ],
      ...["0".repeat(32), "00000000-0000-0000-0000-00000000000", "00000000-0000-0000-0000-0000000000000"],
      ...["g0000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-00000000000A"],
      ...["00000000-0000-0000-0000-000000000000\n", "{00000000-0000-0000-0000-000000000000}"],
    ]
    for (const id of malformed) expect([id, sessionUuidOf(id)]).toEqual([id, undefined])
  })

  it("any text that names a session is its public id or its UUID", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `ses_${text}`),
        ),
        (text) => {
          const found = sessionUuidOf(text)
          if (found !== undefined) expect([found, publicSessionId(found)]).toContain(text)
        },
      ),
    )
  })
})
