import { Layer, Redacted } from "effect"
import type { SettingsShape } from "../config/settingsShape.ts"
import { LinksLive } from "./links.ts"
import { MailerLive } from "./mailer.ts"
import { SmtpTransportLive, StreamTransportLive } from "./transports.ts"

/** Mails and their links, as the settings have it. */
export const MailLive = (settings: SettingsShape) => {
  const { smtpUrl, mailFrom, publicUrl, port, dashboardOrigins } = settings
  const links = LinksLive(publicUrl ?? `http://localhost:${port}`, dashboardOrigins)
  if (smtpUrl === undefined) return Layer.mergeAll(links, MailerLive.pipe(Layer.provide(StreamTransportLive)))
  const smtp = SmtpTransportLive(Redacted.value(smtpUrl), mailFrom)
  return Layer.mergeAll(links, MailerLive.pipe(Layer.provide(smtp)))
}
