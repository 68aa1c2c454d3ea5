import { family, type KeyFamilies } from "../keyFamily.ts"

/** Stream: mails, if SMTP_URL is not set (docs/contract/accounts.md#mail). */
export const mailKey = "mail"

/** String: the address in mailed links: PUBLIC_URL, or where the service listens. */
export const serviceAddressKey = "service-address"

/** String: the address of the process that all processes make links to, for as long as it says that it listens. */
export const serviceAddressLeaseKey = "service-address-lease"

/** String: a sample sealed with the `ENCRYPTION_KEY` that this Redis was first used with. */
export const encryptionSampleKey = "encryption-sample"

/** The key families of the service itself. */
export const serviceFamilies: KeyFamilies = {
  ofService: () => [
    family(
      "encryption sample",
      encryptionSampleKey,
      "string",
      "a sample encrypted with the ENCRYPTION_KEY in use",
    ),
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
