import { readFileSync } from "node:fs"
import { Effect, Redacted } from "effect"
import type { AcquirerModule } from "../acquirerModule.ts"
import { makeApiPix } from "./apiPix.ts"
import { InvalidApiPixCertificate } from "./mtlsExchange.ts"
import { apiPixNotices } from "./notices.ts"
import type { ApiPixSettings } from "./settings.ts"
import { apiPixSlug } from "./wire.ts"

/** The texts of the PEM files, which were readable when the settings were read. */
const readPemFiles = ({ certFile, keyFile, caFile }: ApiPixSettings) =>
  Effect.try({
    try: () => ({
      cert: readFileSync(certFile, "utf8"),
      key: readFileSync(keyFile, "utf8"),
      ca: caFile === undefined ? undefined : readFileSync(caFile, "utf8"),
    }),
    catch: (error) =>
      new InvalidApiPixCertificate({
        message: `a PEM file of api-pix cannot be read: ${(error as NodeJS.ErrnoException).code}`,
      }),
  })

export const apiPix: AcquirerModule<ApiPixSettings, InvalidApiPixCertificate> = {
  slug: apiPixSlug,
  make: (settings) =>
    Effect.flatMap(readPemFiles(settings), (pemTexts) => makeApiPix({ ...settings, ...pemTexts })),
  noticeSource: ({ webhookSecret }) =>
    apiPixNotices(webhookSecret === undefined ? undefined : Redacted.value(webhookSecret)),
  warnings: ({ webhookSecret, baseUrl, bank }) => [
    ...(webhookSecret === undefined
      ? [
          "API_PIX_WEBHOOK_SECRET is not set: whoever reaches POST /v1/webhooks/api-pix is taken for the acquirer. The proxy in front must demand the acquirer's client certificate there.",
        ]
      : []),
    ...(baseUrl.endsWith(bank.apiPath)
      ? []
      : [
          `API_PIX_BASE_URL does not end in ${bank.apiPath}, as the bank of API_PIX_BANK has it: its other APIs may not be found.`,
        ]),
  ],
}
