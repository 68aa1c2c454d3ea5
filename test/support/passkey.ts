import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import type { AssertionResponse, AttestationResponse } from "../../schema/resources/passkey.ts"

/** A head of CBOR (RFC 8949, 3): a major type and a number below 65,536. */
const head = (major: number, value: number): Buffer => {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}
const integer = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value))
const bytes = (value: Uint8Array): Buffer => Buffer.concat([head(2, value.length), value])
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)])
const map = (...entries: ReadonlyArray<readonly [Buffer, Buffer]>): Buffer =>
  Buffer.concat([head(5, entries.length), ...entries.flat()])

const sha256 = (value: string | Uint8Array): Buffer => createHash("sha256").update(value).digest()
const base64url = (value: Uint8Array): string => Buffer.from(value).toString("base64url")

/** Whether its user was there, and was checked; whether a credential is attached. */
const flags = { present: 1, verified: 4, attached: 64 } as const

/** Where an authenticator is asked to sign. */
export interface Asked {
  readonly challenge: string
  readonly origin: string
  readonly rpId: string
}

/** A credential of an authenticator in software, which does as it is told, wrong or right. */
export interface TestPasskey {
  readonly credentialId: string
  /** Answers the options of a registration. `counter`: default 0. */
  readonly register: (asked: Asked, counter?: number) => AttestationResponse
  /** Signs a challenge. `counter`: default 0, as of those that do not count. */
  readonly use: (asked: Asked, counter?: number) => AssertionResponse
}

/** Makes a credential with an ES256 key. */
export const makeTestPasskey = (): TestPasskey => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  const id = randomBytes(32)
  const cose = map(
    [integer(1), integer(2)],
    [integer(3), integer(-7)],
    [integer(-1), integer(1)],
    [integer(-2), bytes(Buffer.from(x, "base64url"))],
    [integer(-3), bytes(Buffer.from(y, "base64url"))],
  )
  const authenticatorData = (rpId: string, counter: number, attached?: Buffer) => {
    const counted = Buffer.alloc(4)
    counted.writeUInt32BE(counter)
    const set = flags.present | flags.verified | (attached === undefined ? 0 : flags.attached)
    return Buffer.concat([sha256(rpId), Buffer.from([set]), counted, attached ?? Buffer.alloc(0)])
  }
  const clientData = (type: string, { challenge, origin }: Asked) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const credential = { id: base64url(id), rawId: base64url(id), type: "public-key" } as const

  return {
    credentialId: base64url(id),
    register: (asked, counter = 0) => {
      const length = Buffer.from([0, id.length])
      const attached = Buffer.concat([Buffer.alloc(16), length, id, cose])
      const attestation = map(
        [text("fmt"), text("none")],
        [text("attStmt"), map()],
        [text("authData"), bytes(authenticatorData(asked.rpId, counter, attached))],
      )
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientData("webauthn.create", asked)),
          attestationObject: base64url(attestation),
          transports: ["internal"],
        },
      }
    },
    use: (asked, counter = 0) => {
      const signed = authenticatorData(asked.rpId, counter)
      const data = clientData("webauthn.get", asked)
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(data),
          authenticatorData: base64url(signed),
          signature: base64url(sign("sha256", Buffer.concat([signed, sha256(data)]), privateKey)),
        },
      }
    },
  }
}
