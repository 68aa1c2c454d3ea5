import { Effect, Layer, Redacted } from "effect"
import type { SettingsShape } from "../config/settingsShape.ts"
import { LinksLive } from "./links.ts"
import { MailerLive } from "./mailer.ts"
import { OwnAddress } from "./ownAddress.ts"
import { requiresTls, SmtpTransportLive, StreamTransportLive } from "./transports.ts"

/** Mails and their links to our own address, by the settings. */
export const MailLive = (settings: SettingsShape) => {
  const { smtpUrl, mailFrom, dashboardOrigins, environment } = settings
  const links = Layer.unwrap(
    Effect.map(OwnAddress, ({ base, here }) => LinksLive(base, dashboardOrigins, here)),
  )
  if (smtpUrl === undefined) return Layer.mergeAll(links, MailerLive.pipe(Layer.provide(StreamTransportLive)))
  const url = Redacted.value(smtpUrl)
  const smtp = SmtpTransportLive(url, mailFrom, requiresTls(url, environment === "production"))
  return Layer.mergeAll(links, MailerLive.pipe(Layer.provide(smtp)))
}
