import { Effect, Layer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DocumentSealer, SecretOpener } from "../../actors/ports/secretOpener.ts"
import { keyIdOfSealed, sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { makeId } from "../../schema/ids.ts"
import { CipherLive, justSealedMax, makeCipher, makeDocumentCipher } from "../../src/crypto/cipher.ts"
import { type EncryptionKeys, plainKey } from "../../src/crypto/encryptionKeys.ts"

const key = new Uint8Array(32).fill(1)
const otherKey = new Uint8Array(32).fill(2)
const chargeId = makeId("txn_", 1, 0, new Uint8Array(14))
const place = sealedPlaces.customerDocument(chargeId)
/** A cipher whose texts all belong to one charge. */
const boundCipher = (keys: EncryptionKeys) => {
  const cipher = makeCipher(keys)
  return {
    seal: (text: string) => cipher.seal(text, place),
    open: (sealed: string) => cipher.open(sealed, place),
  }
}
const { seal, open } = boundCipher(plainKey(key))

const serviceOf = (of: Uint8Array) =>
  Effect.runSync(
    Effect.gen(function* () {
      const sealer = yield* DocumentSealer
      const opener = yield* SecretOpener
      return {
        seal: (text: string) => sealer.seal(text, place),
        open: (sealed: string) => opener.open(sealed, place),
      }
    }).pipe(Effect.provide(Layer.fresh(CipherLive(plainKey(of))))),
  )

const bytesOf = (sealed: string): Buffer => Buffer.from(sealed.slice("enc:v2:0:".length), "base64url")
const textOf = (bytes: Buffer): string => `enc:v2:0:${bytes.toString("base64url")}`

describe("a sealed text", () => {
  it("a sealed text opens as the original text, whatever that is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 2_000 }), (text) => {
        const sealed = seal(text)

        expect(open(sealed)).toBe(text)
        expect(sealed).toMatch(/^enc:v2:0:[A-Za-z0-9_-]+$/)
      }),
    )
  })

  it("sealing one text again gives another ciphertext, and none shows the text", () => {
    // More than one pool of initialisation vectors supplies.
    const sealed = Array.from({ length: 2_000 }, () => seal("52998224725"))
    const vectors = new Set(sealed.map((text) => bytesOf(text).subarray(0, 12).toString("hex")))

    expect(new Set(sealed).size).toBe(sealed.length)
    expect(vectors.size).toBe(sealed.length)
    for (const text of sealed) expect(text).not.toContain("52998224725")
    expect(sealed.every((text) => open(text) === "52998224725")).toBe(true)
  })

  it("a sealed text does not open with a single bit changed", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.nat({ max: 7 }), (text, at, bit) => {
        const bytes = bytesOf(seal(text))
        const place = at % bytes.length
        bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place)

        expect(open(textOf(bytes))).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  it("a sealed text does not open cut short, lengthened, or spliced with another", () => {
    const [one, two] = [bytesOf(seal("one of them")), bytesOf(seal("the other's"))]
    for (let length = 0; length < one.length; length++) {
      expect(open(textOf(one.subarray(0, length)))).toBeUndefined()
    }
    expect(open(textOf(Buffer.concat([one, Buffer.from([0])])))).toBeUndefined()
    expect(open(textOf(Buffer.concat([one.subarray(0, 28), two.subarray(28)])))).toBeUndefined()
    expect(open(textOf(Buffer.concat([one.subarray(0, 12), two.subarray(12)])))).toBeUndefined()
  })

  it("a sealed text does not open under another key", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(boundCipher(plainKey(otherKey)).open(seal(text))).toBeUndefined()
      }),
    )
  })

  it("a sealed text opens in its own place alone: neither for another record nor in another field", () => {
    const id = fc.stringMatching(/^[a-z0-9_]{1,30}$/)
    const names = Object.keys(sealedPlaces) as ReadonlyArray<keyof typeof sealedPlaces>
    const anyPlace = fc.record({ name: fc.constantFrom(...names), id })
    const cipher = makeCipher(plainKey(key))
    const placeOf = ({ name, id }: { readonly name: keyof typeof sealedPlaces; readonly id: string }) =>
      sealedPlaces[name](id, "rediss://redis.example:6379")
    fc.assert(
      fc.property(fc.string(), anyPlace, anyPlace, (text, here, there) => {
        const sealed = cipher.seal(text, placeOf(here))
        const isSame = here.name === there.name && here.id === there.id
        expect(cipher.open(sealed, placeOf(there))).toBe(isSame ? text : undefined)
        expect(cipher.open(sealed, placeOf(here))).toBe(text)
      }),
    )
  })

  it("the newest key seals, and each text opens under the key that it names while that is given", () => {
    const [older, newer] = [
      { id: "2025", bytes: key },
      { id: "2026", bytes: otherKey },
    ] as const
    const before = boundCipher([older]).seal("52998224725")
    const both = boundCipher([newer, older])
    const after = both.seal("52998224725")
    expect([before, after].map(keyIdOfSealed)).toEqual(["2025", "2026"])
    expect([before, after].map(both.open)).toEqual(["52998224725", "52998224725"])
    // A process that was not restarted yet knows the new key as its second.
    expect([before, after].map(boundCipher([older, newer]).open)).toEqual(["52998224725", "52998224725"])
    expect([before, after].map(boundCipher([newer]).open)).toEqual([undefined, "52998224725"])
    // The same bytes under another id are another key.
    expect(boundCipher([{ id: "other", bytes: key }]).open(before)).toBeUndefined()
  })

  it.each([
    ...[
      "",
      "enc:v2:",
      "enc:v2:0",
      "enc:v2:0:",
      "enc:v2:0:AAAA",
      "enc:v2::AAAA",
      "enc:v2:AAAA",
      "enc:v1:AAAA",
    ],
    ...["52998224725", "plain text", "enc:v2:0:%%%%"],
  ])("%j does not open, as it is no sealed text", (text) => {
    expect(open(text)).toBeUndefined()
  })

  it("an empty text can be sealed and opened", () => {
    expect(open(seal(""))).toBe("")
  })
})

describe("the ciphers of the service", () => {
  it("the service opens what it sealed for storage, and nothing of another key", () => {
    const service = serviceOf(otherKey)

    expect(service.open(service.seal("whsec_secret"))).toBe("whsec_secret")
    expect(service.open(seal("whsec_secret"))).toBeUndefined()
  })
})

describe("a document that was just sealed", () => {
  const counting = () => {
    const opened: Array<string> = []
    const bound = makeDocumentCipher({
      seal,
      open: (sealed) => {
        opened.push(sealed)
        return open(sealed)
      },
    })
    const cipher = {
      seal: (text: string) => bound.seal(text, place),
      open: (sealed: string) => bound.open(sealed, place),
    }
    return { opened, cipher, bound }
  }

  it("a document that was just sealed is opened from memory once, and from its ciphertext after that", () => {
    const { opened, cipher } = counting()
    const sealed = cipher.seal("52998224725")
    expect(cipher.open(sealed)).toBe("52998224725")
    expect(opened).toEqual([])
    expect(cipher.open(sealed)).toBe("52998224725")
    expect(opened).toEqual([sealed])
  })

  it("a document that was just sealed opens in its own place alone, from memory too", () => {
    const { bound } = counting()
    const elsewhere = sealedPlaces.customerDocument(makeId("txn_", 2, 0, new Uint8Array(14)))
    const cipher = makeDocumentCipher(makeCipher(plainKey(key)))
    const sealed = cipher.seal("52998224725", place)
    expect(cipher.open(sealed, elsewhere)).toBeUndefined()
    expect(cipher.open(sealed, place)).toBe("52998224725")
    expect(bound.open(bound.seal("52998224725", place), place)).toBe("52998224725")
  })

  it("no more documents are remembered than the limit, and all of them open", () => {
    const { opened, cipher } = counting()
    const sealed = Array.from({ length: justSealedMax }, (_, i) => cipher.seal(`${i}`))
    const last = cipher.seal("last")
    for (const [i, text] of sealed.entries()) expect(cipher.open(text)).toBe(`${i}`)
    expect(cipher.open(last)).toBe("last")
    expect(opened).toEqual(sealed)
  })

  it("as many documents as the limit are opened from memory", () => {
    const { opened, cipher } = counting()
    const sealed = Array.from({ length: justSealedMax }, (_, i) => cipher.seal(`${i}`))
    for (const [i, text] of sealed.entries()) expect(cipher.open(text)).toBe(`${i}`)
    expect(opened).toEqual([])
  })
})
