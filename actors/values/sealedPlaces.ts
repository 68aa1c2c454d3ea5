/**
 * Where a ciphertext is stored: a field, and the record that has it. The ciphertext is bound to its place and opens nowhere else, so
 * whoever may write to the store gains nothing by copying one to another record or field (docs/security.md#ciphertext).
 */
export type SealedPlace = `${string} ${string}`

/** Every place of ciphertext, by the id of its record. */
export const sealedPlaces = {
  /** The document of a charge's customer, in the charge and in its events. */
  customerDocument: (chargeId: string): SealedPlace => `customer.document ${chargeId}`,
  sellerDocument: (sellerId: string): SealedPlace => `seller.document ${sellerId}`,
  /** Signs the postbacks and trackers of a seller, in both modes. */
  postbackSecret: (sellerId: string): SealedPlace => `postback_secret ${sellerId}`,
  /** An endpoint's secret, and after a rotation its previous one: a rotation moves it within the record. */
  endpointSecret: (endpointId: string): SealedPlace => `endpoint.secret ${endpointId}`,
  /** The password of an endpoint that is a Redis Stream. It opens for the server and user of its URL alone. */
  endpointPassword: (endpointId: string, url: string): SealedPlace =>
    `endpoint.url_password ${endpointId} ${url.split("/?", 1)[0]}`,
  trackerHeaders: (trackerId: string): SealedPlace => `tracker.headers ${trackerId}`,
  /** What a seller wants to hear of: a URL of a chat is a credential. */
  alertSettings: (sellerId: string): SealedPlace => `alert.settings ${sellerId}`,
  /** Who gets a report by mail, and by which secret each ends it. */
  reportRecipients: (reportId: string): SealedPlace => `report.recipients ${reportId}`,
  pixKeyValue: (pixKeyId: string): SealedPlace => `pix_key.value ${pixKeyId}`,
  /** The value of the PIX key that a withdrawal is paid to. */
  withdrawalPixValue: (withdrawalId: string): SealedPlace => `withdrawal.pix_value ${withdrawalId}`,
  /** A user's TOTP secret, also while it waits to be confirmed: the confirmation moves it within the record. */
  totpSecret: (userId: string): SealedPlace => `totp_secret ${userId}`,
  backupCode: (userId: string): SealedPlace => `backup_code ${userId}`,
  /** By the SHA-256 of the body: notices that came in one body share it. */
  noticeBody: (bodyHash: string): SealedPlace => `notice.body ${bodyHash}`,
  noticeHeaders: (bodyHash: string): SealedPlace => `notice.headers ${bodyHash}`,
  /** The secret that names customers. */
  customerSecret: (keyOfRedis: string): SealedPlace => `customer_secret ${keyOfRedis}`,
  /** What shows at a start that a key is the one that was used. */
  keySample: (keyId: string): SealedPlace => `encryption-keys ${keyId}`,
} as const

/** Ciphertext begins so, then come the id of its key and a colon. */
export const sealedPrefix = "enc:v2:"

/** The id of the key that a ciphertext was made with; undefined for a text that is none. */
export const keyIdOfSealed = (sealed: string): string | undefined => {
  if (!sealed.startsWith(sealedPrefix)) return undefined
  const end = sealed.indexOf(":", sealedPrefix.length)
  return end < 0 ? undefined : sealed.slice(sealedPrefix.length, end)
}
