import type { Feed } from "../../../schema/ids.ts"
import { family, type KeyFamilies } from "../keyFamily.ts"
import { tagOf } from "../tags.ts"

/** Hash: up to where a seller's mode has been audited, and the sums of its ledger there. */
export const auditedKey = ({ sellerId, mode }: Feed): string =>
  `audited:${tagOf(sellerId)}:${sellerId}:${mode}`

/** Hash: how the service's last audit ended. */
export const auditResultKey = "audit-result"

/** String: the process that audits. */
export const auditorKey = "auditor"

/** The key families of audits. */
export const auditFamilies: KeyFamilies = {
  ofService: () => [
    family("audit result", auditResultKey, "hash", "how the last audit ended, and when (ms)"),
    family("auditor", auditorKey, "string", "the process that audits now"),
  ],
  ofMode: (feed) => [
    family(
      "audited",
      auditedKey(feed),
      "hash",
      `how far ${feed.mode} has been audited, and the ledger's sums there`,
    ),
  ],
}
