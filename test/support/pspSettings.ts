import type { Psp } from "./psp.ts"

/** The secret that the PSP signs its notices with. */
export const webhookSecret = "the secret that the PSP signs with"

/** Settings under which the service collects and pays out through a PSP. */
export const apiPixSettings = (psp: Psp): Readonly<Record<string, string>> => ({
  LIVE_ACQUIRER: "api-pix",
  API_PIX_BASE_URL: psp.baseUrl,
  API_PIX_TOKEN_URL: psp.tokenUrl,
  API_PIX_CLIENT_ID: psp.clientId,
  API_PIX_CLIENT_SECRET: psp.clientSecret,
  API_PIX_CERT_FILE: psp.certFile,
  API_PIX_KEY_FILE: psp.keyFile,
  API_PIX_CA_FILE: psp.caFile,
  API_PIX_KEY: psp.pixKey,
  API_PIX_WEBHOOK_SECRET: webhookSecret,
  ...(psp.bank === "efi" ? {} : { API_PIX_BANK: psp.bank }),
  ...(psp.bank === "bb" ? { API_PIX_APP_KEY: psp.appKey } : {}),
})
