import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer, Schema } from "effect"
import type { StoredReport } from "../../../actors/ports/reportStore.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { storedReader } from "../../../actors/values/storedDocuments.ts"
import { isId } from "../../../schema/ids.ts"
import { AccountSecrets } from "../accountSecrets.ts"

/** Somebody who gets a report. */
export interface Recipient {
  readonly email: string
  /** Whoever has it may end the report for this address; it is in each of its mails. */
  readonly secret: string
}

const parse = storedReader(
  "list of a report's recipients",
  Schema.Array(Schema.Struct({ email: Schema.String, secret: Schema.String })),
)

/** A secret of 192 bits, which a URL takes as it is. */
const newSecret = (): string => randomBytes(24).toString("base64url")

const digest = (secret: string): string => hash("sha256", secret, "base64url")

const prefix = "rpt_"
/** What follows the prefix in an id: a token begins with it. */
const bodyLength = 26

/** Names a report and a secret of it, in links that mails have. */
const tokenOf = (reportId: string, secret: string): string => reportId.slice(prefix.length) + secret

/** What a token names; undefined for any other text. There need be no such report. */
const readToken = (token: string): { readonly reportId: string; readonly secret: string } | undefined => {
  const [reportId, secret] = [prefix + token.slice(0, bodyLength), token.slice(bodyLength)]
  return isId(prefix, reportId) && /^[\w-]{32}$/.test(secret) ? { reportId, secret } : undefined
}

const make = Effect.gen(function* () {
  const opener = yield* SecretOpener
  const secrets = yield* AccountSecrets
  return {
    newSecret,
    digest,
    tokenOf,
    readToken,
    /** New recipients, each with a secret. */
    of: (emails: ReadonlyArray<string>): ReadonlyArray<Recipient> =>
      emails.map((email) => ({ email, secret: newSecret() })),
    /** Recipients as they are stored with their report. */
    seal: (reportId: string, recipients: ReadonlyArray<Recipient>): string =>
      secrets.seal(JSON.stringify(recipients), sealedPlaces.reportRecipients(reportId)),
    /** Who gets a report; undefined where its ciphertext opens under no key. */
    open: ({ id, recipients }: StoredReport): ReadonlyArray<Recipient> | undefined => {
      const opened = opener.open(recipients, sealedPlaces.reportRecipients(id))
      return opened === undefined ? undefined : parse(opened)
    },
    /** How stored runs name a recipient. */
    nameOf: ({ secret }: Recipient): string => digest(secret).slice(0, 16),
    /** Whether a secret is a recipient's; takes the same time for each wrong one. */
    isOf: (recipient: Recipient, secret: string): boolean =>
      timingSafeEqual(Buffer.from(digest(recipient.secret)), Buffer.from(digest(secret))),
  }
})

/** Who gets reports by mail, and the secrets in their mails (docs/contract/reports.md#links). */
export class ReportRecipients extends Context.Service<ReportRecipients, Effect.Success<typeof make>>()(
  "corrente/accounts/ReportRecipients",
) {}

export const ReportRecipientsLive = Layer.effect(ReportRecipients, make)
