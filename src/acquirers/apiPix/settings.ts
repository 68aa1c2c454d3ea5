import { Redacted } from "effect"
import { readPemPath } from "../../env/pemFile.ts"
import * as kind from "../../env/settingKinds.ts"
import type { SettingReader } from "../../env/settingReader.ts"
import type { ReadAcquirerSettings } from "../acquirerModule.ts"
import { type BankSettings, readBankSettings } from "./bankSettings.ts"

/** Settings of the API Pix acquirer (docs/partner.md#settings-of-api-pix). */
export interface ApiPixSettings extends BankSettings {
  readonly baseUrl: string
  readonly tokenUrl: string
  readonly clientId: string
  /** Undefined where the bank has none: the certificate is the credential. */
  readonly clientSecret: Redacted.Redacted<string> | undefined
  /** Absolute paths of PEM files that were readable at the start. */
  readonly certFile: string
  readonly keyFile: string
  readonly caFile: string | undefined
  /** Our own PIX key at the acquirer. */
  readonly pixKey: string
  /** Undefined: a proxy in front demands the acquirer's client certificate. */
  readonly webhookSecret: Redacted.Redacted<string> | undefined
}

/**
 * How notices of the acquirer are authenticated: by a secret, or by a proxy that demands the acquirer's client
 * certificate. Production must name one of them, because without either anyone can fill the inbox
 * (docs/contract/notices.md#signature).
 */
const readWebhookSecret = (reader: SettingReader, isProduction: boolean) => {
  const secret = reader.secret(
    "API_PIX_WEBHOOK_SECRET",
    kind.plainText(256),
    "Leave it out if a proxy in front demands the acquirer's client certificate.",
  )
  const auth = reader.optional(
    "API_PIX_WEBHOOK_AUTH",
    kind.oneOf("proxy"),
    "Leave it out if API_PIX_WEBHOOK_SECRET is set.",
  )
  const isNamed = reader.isSecretSet("API_PIX_WEBHOOK_SECRET") || auth !== undefined
  if (isProduction && !isNamed && reader.textOf("API_PIX_WEBHOOK_AUTH") === undefined) {
    reader.refuse(
      "API_PIX_WEBHOOK_SECRET is not set, so anyone could send notices as the acquirer. Set it, or set " +
        "API_PIX_WEBHOOK_AUTH=proxy if a proxy in front demands the acquirer's client certificate on /v1/webhooks/.",
    )
  }
  return secret
}

/** Reads the settings where API Pix serves live mode, and reports each required one that is missing. */
export const readApiPixSettings: ReadAcquirerSettings<ApiPixSettings | undefined> = (reader, use) => {
  if (!use.isLive) return undefined
  const required = <A>(name: string, found: A | undefined, missing: A): A => {
    if (found === undefined && reader.textOf(name) === undefined) {
      reader.refuse(`${name} is not set, and LIVE_ACQUIRER=api-pix needs it.`)
    }
    return found ?? missing
  }
  const text = (name: string, setting: kind.SettingKind<string>, fix: string): string =>
    required(name, reader.optional(name, setting, fix), "")
  const bankSettings = readBankSettings(reader)
  const secretOf = (isRequired: boolean) => {
    const name = "API_PIX_CLIENT_SECRET"
    const secret = reader.secret(name, kind.plainText(512), "The acquirer issued it to you.")
    return isRequired && !reader.isSecretSet(name) ? required(name, secret, Redacted.make("")) : secret
  }
  return {
    ...bankSettings,
    baseUrl: text("API_PIX_BASE_URL", kind.httpsUrl, "Set it to the acquirer's API, like https://host/v2."),
    tokenUrl: text(
      "API_PIX_TOKEN_URL",
      kind.httpsUrl,
      "Set it to the acquirer's token endpoint, like https://host/oauth/token.",
    ),
    clientId: text("API_PIX_CLIENT_ID", kind.plainText(512), "The acquirer issued it to you."),
    clientSecret: secretOf(bankSettings.bank.hasClientSecret),
    certFile: required("API_PIX_CERT_FILE", readPemPath(reader, "API_PIX_CERT_FILE", "CERTIFICATE"), ""),
    keyFile: required("API_PIX_KEY_FILE", readPemPath(reader, "API_PIX_KEY_FILE", "PRIVATE KEY"), ""),
    caFile: readPemPath(reader, "API_PIX_CA_FILE", "CERTIFICATE"),
    pixKey: text("API_PIX_KEY", kind.plainText(77), "Set it to your own PIX key at the acquirer."),
    webhookSecret: readWebhookSecret(reader, use.isProduction),
  }
}
