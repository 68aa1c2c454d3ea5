import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { isIPv4 } from "node:net"

/**
 * A certificate authority for tests, made in memory: X.509 v3 (RFC 5280) by hand, with P-256 keys, so that neither
 * the machine needs openssl nor the repository a key.
 */
export interface Authority {
  readonly certificatePem: string
  readonly issue: (options: IssueOptions) => IssuedCertificate
}

export interface IssueOptions {
  /** Host names and IPv4 addresses the certificate is for. */
  readonly names: ReadonlyArray<string>
  /** Unix time in ms; by default a day ago. */
  readonly notBeforeMillis?: number
  /** Unix time in ms; by default in a day. */
  readonly notAfterMillis?: number
}

export interface IssuedCertificate {
  readonly certificatePem: string
  readonly privateKeyPem: string
}

const DAY_MILLIS = 24 * 60 * 60 * 1000

/** DER tags (X.690), context-specific ones with their number. */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  context: (number: number) => 0x80 | number,
  contextConstructed: (number: number) => 0xa0 | number,
}

const der = (tag: number, ...contents: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(contents)
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(content.length)
  return Buffer.concat([Buffer.from([tag, 0x82]), length, content])
}

const sequence = (...items: ReadonlyArray<Buffer>): Buffer => der(tags.sequence, ...items)

const objectIdentifier = (encodedHex: string): Buffer => der(0x06, Buffer.from(encodedHex, "hex"))

const oids = {
  commonName: objectIdentifier("550403"),
  ecdsaWithSha256: objectIdentifier("2a8648ce3d040302"),
  keyUsage: objectIdentifier("551d0f"),
  subjectAlternativeName: objectIdentifier("551d11"),
  basicConstraints: objectIdentifier("551d13"),
}

const booleanTrue = der(tags.boolean, Buffer.from([0xff]))
const signatureAlgorithm = sequence(oids.ecdsaWithSha256)

const distinguishedName = (commonName: string): Buffer =>
  sequence(der(tags.set, sequence(oids.commonName, der(tags.utf8String, Buffer.from(commonName)))))

const utcTime = (unixMillis: number): Buffer => {
  const digits = new Date(unixMillis).toISOString().replaceAll(/[^0-9]/g, "")
  return der(tags.utcTime, Buffer.from(`${digits.slice(2, 14)}Z`))
}

const extension = (oid: Buffer, isCritical: boolean, value: Buffer): Buffer =>
  sequence(oid, ...(isCritical ? [booleanTrue] : []), der(tags.octetString, value))

const authorityExtensions = (): ReadonlyArray<Buffer> => [
  extension(oids.basicConstraints, true, sequence(booleanTrue)),
  // keyCertSign and cRLSign, with one unused bit
  extension(oids.keyUsage, true, der(tags.bitString, Buffer.from([0x01, 0x06]))),
]

const serverExtensions = (names: ReadonlyArray<string>): ReadonlyArray<Buffer> => {
  const alternatives = names.map((name) =>
    isIPv4(name)
      ? der(tags.context(7), Buffer.from(name.split(".").map(Number)))
      : der(tags.context(2), Buffer.from(name)),
  )
  return [
    // digitalSignature, with seven unused bits
    extension(oids.keyUsage, true, der(tags.bitString, Buffer.from([0x07, 0x80]))),
    extension(oids.subjectAlternativeName, false, sequence(...alternatives)),
  ]
}

interface CertificateFields {
  readonly issuer: string
  readonly issuerKey: KeyObject
  readonly subject: string
  readonly subjectKey: KeyObject
  readonly notBeforeMillis: number
  readonly notAfterMillis: number
  readonly extensions: ReadonlyArray<Buffer>
}

const certificatePem = (fields: CertificateFields): string => {
  const version3 = der(tags.contextConstructed(0), der(tags.integer, Buffer.from([2])))
  // A leading 1 keeps the number positive and of constant length.
  const serialNumber = der(tags.integer, Buffer.from([1]), randomBytes(15))
  const toBeSigned = sequence(
    version3,
    serialNumber,
    signatureAlgorithm,
    distinguishedName(fields.issuer),
    sequence(utcTime(fields.notBeforeMillis), utcTime(fields.notAfterMillis)),
    distinguishedName(fields.subject),
    fields.subjectKey.export({ type: "spki", format: "der" }),
    der(tags.contextConstructed(3), sequence(...fields.extensions)),
  )
  const signature = sign("sha256", toBeSigned, fields.issuerKey)
  const noUnusedBits = Buffer.from([0])
  const certificate = sequence(toBeSigned, signatureAlgorithm, der(tags.bitString, noUnusedBits, signature))
  const lines = certificate.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd()
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

/** Makes an authority with a key of its own. */
export const createAuthority = (commonName: string): Authority => {
  const authorityKeys = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const validity = () => ({
    notBeforeMillis: Date.now() - DAY_MILLIS,
    notAfterMillis: Date.now() + DAY_MILLIS,
  })
  return {
    certificatePem: certificatePem({
      issuer: commonName,
      issuerKey: authorityKeys.privateKey,
      subject: commonName,
      subjectKey: authorityKeys.publicKey,
      ...validity(),
      extensions: authorityExtensions(),
    }),
    issue: ({ names, ...dates }) => {
      const keys = generateKeyPairSync("ec", { namedCurve: "P-256" })
      return {
        certificatePem: certificatePem({
          issuer: commonName,
          issuerKey: authorityKeys.privateKey,
          subject: names[0] ?? "nobody",
          subjectKey: keys.publicKey,
          ...validity(),
          ...dates,
          extensions: serverExtensions(names),
        }),
        privateKeyPem: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      }
    },
  }
}
