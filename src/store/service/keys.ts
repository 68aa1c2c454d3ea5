import { family, type KeyFamilies } from "../keyFamily.ts"

/** Stream: mails, if SMTP_URL is not set (docs/contract/accounts.md#mail). */
export const mailKey = "mail"

/** String: the address in mailed links: PUBLIC_URL, or where the service listens. */
export const serviceAddressKey = "service-address"

/** String: the address of the process that all processes make links to, for as long as it says that it listens. */
export const serviceAddressLeaseKey = "service-address-lease"

/** Hash: the id of each key of `ENCRYPTION_KEY` that secrets may be sealed with -> a sample that is. */
export const encryptionKeysKey = "encryption-keys"

/**
 * Hash: how far `ops keys rotate` is, and `newest:<key id>`, when the newest event was written that was seen with a key that is no
 * longer the newest (ms).
 */
export const keyRotationKey = "key-rotation"

/** The key families of the service itself. */
export const serviceFamilies: KeyFamilies = {
  ofService: () => [
    family(
      "encryption keys",
      encryptionKeysKey,
      "hash",
      "the ids of the keys of ENCRYPTION_KEY in use, each with a sample encrypted with it",
    ),
    family("key rotation", keyRotationKey, "hash", "how far ops keys rotate is"),
    family("service address", serviceAddressKey, "string", "the running service's address, for mailed links"),
    family(
      "service address lease",
      serviceAddressLeaseKey,
      "string",
      "the address that all processes make links to, without PUBLIC_URL",
    ),
    family("mail", mailKey, "stream", "mails kept because SMTP_URL is not set"),
  ],
}
