import { Effect, Layer, Redacted } from "effect"
import type { SettingsShape } from "../config/settingsShape.ts"
import { LinksLive } from "./links.ts"
import { MailerLive } from "./mailer.ts"
import { OwnAddress } from "./ownAddress.ts"
import { SmtpTransportLive, StreamTransportLive } from "./transports.ts"

/** Mails and their links to our own address, by the settings. */
export const MailLive = (settings: SettingsShape) => {
  const { smtpUrl, mailFrom, dashboardOrigins } = settings
  const links = Layer.unwrap(
    Effect.map(OwnAddress, ({ base, here }) => LinksLive(base, dashboardOrigins, here)),
  )
  if (smtpUrl === undefined) return Layer.mergeAll(links, MailerLive.pipe(Layer.provide(StreamTransportLive)))
  const smtp = SmtpTransportLive(Redacted.value(smtpUrl), mailFrom)
  return Layer.mergeAll(links, MailerLive.pipe(Layer.provide(smtp)))
}
