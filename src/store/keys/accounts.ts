import { accountSlotOfEmail, accountTag, emailHash, partitionOf, partitionTag, tagOf } from "../tags.ts"
import { byId, bySellerAndMode, byUser } from "./byIds.ts"
import { key } from "./keyKind.ts"

/** Sellers and their API keys. */
export const sellerKeys = {
  seller: key(["tag", "seller"], (tag, seller) => `seller:${tag}:${seller}`, {
    family: "seller",
    type: "hash",
    holds: "the seller; secrets are ciphertext",
    details:
      "`name`, `user`, `status`, `kyc_status`, `document` and the postback secret (ciphertext), `legal_name`, " +
      "`payout_locked_until`, `recovery_locked_until`, `brand_logo`, `brand_color`, `payer_name`, `found_by` (the terms operators find it by), the settings " +
      "(`charge_fee_bps` … `withdrawal_auto_approval`), `version`, `created_at`",
    lifetime: "kept",
  }),
  sellers: key(["tag"], (tag) => `sellers:${tag}`, {
    family: "sellers",
    type: "set by id",
    holds: "ids of the partition's sellers",
    lifetime: "kept",
  }),
  members: key(["tag", "seller"], (tag, seller) => `members:${tag}:${seller}`, {
    family: "members",
    type: "hash",
    holds: "the seller's team, beside its first user",
    details:
      "`version` (counts the changes), `operation` (of the last one), and by member id JSON with `role`, `refundLimit`, `userId`, " +
      "`createdAt`, or an `invitation` with its address, the SHA-256 of its token in base64url and its end. At most 50",
    lifetime: "a field is removed with its member",
  }),
  sellerLookup: key(["tag"], (tag) => `seller-lookup:${tag}`, {
    family: "found sellers",
    type: "set by text",
    holds: "by what operators find the partition's sellers",
    details:
      "`<term> <seller>`, with `n:<word>` for each word of the names, and `d:<HMAC-SHA256 of the document in base64url>`",
    lifetime: "as the sellers; the field `found_by` of each has its terms",
  }),
  apiKey: key(["tag", "sha256"], (tag, sha256) => `apikey:${tag}:${sha256}`, {
    family: "api key",
    type: "hash",
    holds: "one API key, by its SHA-256 in base64url",
    details:
      "`seller`, `id`, `mode`, `name`, `prefix`, `scopes`, `allowed_ips` (none: from anywhere), `created_at`, `last_used_at`, " +
      "`last_used_ip`, `revoke_at`",
    lifetime: "until it is deleted, or 24 h after its rotation",
  }),
  apiKeys: key(["tag", "seller", "mode"], (tag, seller, mode) => `apikeys:${tag}:${seller}:${mode}`, {
    family: "api keys",
    type: "hash",
    holds: "the API keys that are not revoked",
    details: "key id -> its SHA-256 in base64url",
    lifetime: "a field is removed with its key",
  }),
}

/** Users, their sessions and second factors, and invites. */
export const accountKeys = {
  user: key(["slot", "uuid"], (slot, uuid) => `user:${slot}:${uuid}`, {
    family: "user",
    type: "hash",
    holds: "one user; secrets are ciphertext",
    details:
      "`email`, `name`, `role`, `seller_id`, `member_id`, `password_hash`, `email_verified`, `two_factor_enabled`, `totp_secret` " +
      "(ciphertext), `totp_last_step`, `step_up_webhook`, `step_up_account`, `terms_version`, `saved_views` (JSON), `last_seen_at`, `disabled_at`, `sign_outs` (how " +
      "often operators ended its sessions), wrong codes in a row by place (`session_tries`, `known_tries`, `stranger_tries`) " +
      "and until when the next waits (`…_tries_until`) …",
    lifetime: "kept",
  }),
  userEmail: key(["slot", "sha256"], (slot, sha256) => `user-email:${slot}:${sha256}`, {
    family: "user e-mail",
    type: "string",
    holds: "the user of an e-mail address, by the SHA-256 of its lower case in hex",
    lifetime: "kept",
  }),
  session: key(["slot", "sha256"], (slot, sha256) => `session:${slot}:${sha256}`, {
    family: "session",
    type: "hash",
    holds: "one session, by its token's SHA-256 in base64url",
    details:
      "`id`, `user`, `role`, `seller_id`, `member_id`, `ip_address`, `user_agent`, `expires_at`, `last_seen_at`, `mfa_verified_until`, " +
      "`tries` (wrong codes in a row), `sign_outs` (the user's, when it signed in), `moved_to` (the key under its new token), the " +
      "newest `challenge` for a passkey (with `challenge_for`, `challenge_until`) …",
    lifetime: "until it ends (24 h, or 30 days); under a former token 30 s",
  }),
  sessions: key(["slot", "uuid"], (slot, uuid) => `sessions:${slot}:${uuid}`, {
    family: "sessions",
    type: "set by time",
    holds: "a user's sessions, by the time they end (ms)",
    details: "At most 100",
    lifetime: "until the longest of them ends",
  }),
  knownAddresses: key(["slot", "uuid"], (slot, uuid) => `known-addresses:${slot}:${uuid}`, {
    family: "known addresses",
    type: "set by time",
    holds: "addresses that a user has signed in from, by the last time (ms)",
    details: "For IPv6 the /64; at most 50",
    lifetime: "180 days after the last sign-in",
  }),
  token: key(["slot", "sha256"], (slot, sha256) => `token:${slot}:${sha256}`, {
    family: "token",
    type: "hash",
    holds:
      "one single-use token (e-mail verification, password reset, recovery, second step of a sign-in), by its SHA-256 in base64url",
    details:
      "`kind`, `user`, `binding`, `remember_me`, `sign_outs` (the user's, at issue), `expires_at`; of a second step `tries`, " +
      "`tried_as` and the newest `challenge` for a passkey (with `challenge_for`, `challenge_until`)",
    lifetime: "until it is used or expires",
  }),
  backupCodes: key(["slot", "uuid"], (slot, uuid) => `backup-codes:${slot}:${uuid}`, {
    family: "backup codes",
    type: "set",
    holds: "a user's unused backup codes, each as ciphertext of its SHA-256 in base64url",
    lifetime: "a member is removed when it is used; all when 2FA is turned off or new codes are generated",
  }),
  passkeys: key(["slot", "uuid"], (slot, uuid) => `passkeys:${slot}:${uuid}`, {
    family: "passkeys",
    type: "hash",
    holds: "a user's passkeys; no secret",
    details:
      "credential id -> JSON with its public key, counter, name, transports, kind of device, `addedIn` (the session), when it was " +
      "added and last used. At most 20",
    lifetime: "a field is removed with its passkey; all when 2FA is turned off, recovered or reset",
  }),
  mailCode: key(["slot", "uuid"], (slot, uuid) => `mail-code:${slot}:${uuid}`, {
    family: "mailed code",
    type: "hash",
    holds: "the code mailed last to a user who turns 2FA on",
    details:
      "`code` (HMAC-SHA256 in base64url), `binding` (to the password), `wrong` tries, `sent_at`, `expires_at`, how many were " +
      "`sent` until `window_ends`, `used_by`",
    lifetime: "a day after the first",
  }),
  invite: key(["slot", "id"], (slot, id) => `invite:${slot}:${id}`, {
    family: "invite",
    type: "hash",
    holds: "one invite to sign up",
    details: "`email`, `token_hash`, `seller_id`, `created_by`, `expires_at`, `used_at`, `revoked_at` …",
    lifetime: "30 days after it expires",
  }),
  invites: key([], () => "invites", {
    family: "invites",
    type: "set by id",
    holds: "ids of all invites",
    lifetime: "kept",
  }),
  disabledOperators: key([], () => "operators-disabled", {
    family: "disabled operators",
    type: "set",
    holds: "ids of operators who are disabled, so that one always stays",
    lifetime: "kept",
  }),
}

export const sellerKey = byId(sellerKeys.seller.name)
export const membersKey = byId(sellerKeys.members.name)
export const sellersKey = (partition: number): string => sellerKeys.sellers.name(partitionTag(partition))
export const sellerLookupKey = sellerKeys.sellerLookup.name
export const sellerLookupKeyOf = (sellerId: string): string => sellerKeys.sellerLookup.name(tagOf(sellerId))
export const apiKeyKey = (partition: number, keyHash: string): string =>
  sellerKeys.apiKey.name(partitionTag(partition), keyHash)
export const apiKeysKey = bySellerAndMode(sellerKeys.apiKeys.name)

export const userKey = byUser(accountKeys.user.name)
/** The keys of all users, on every server. */
export const everyUserPattern = accountKeys.user.name("{u*}", "*")
export const userEmailKey = (email: string): string =>
  accountKeys.userEmail.name(accountTag(accountSlotOfEmail(email)), emailHash(email))
export const sessionKey = (slot: number, tokenHash: string): string =>
  accountKeys.session.name(accountTag(slot), tokenHash)
export const sessionPrefix = (slot: number): string => sessionKey(slot, "")
export const sessionsKey = byUser(accountKeys.sessions.name)
export const knownAddressesKey = byUser(accountKeys.knownAddresses.name)
export const tokenKey = (slot: number, tokenHash: string): string =>
  accountKeys.token.name(accountTag(slot), tokenHash)
export const backupCodesKey = byUser(accountKeys.backupCodes.name)
export const passkeysKey = byUser(accountKeys.passkeys.name)
export const mailCodeKey = byUser(accountKeys.mailCode.name)
export const inviteKey = (inviteId: string): string =>
  accountKeys.invite.name(accountTag(partitionOf(inviteId)), inviteId)
export const invitesKey = accountKeys.invites.name()
export const disabledOperatorsKey = accountKeys.disabledOperators.name()
