import { Effect } from "effect"
import type { StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { validationFailed } from "../../../schema/errors.ts"
import { Sellers } from "../../accounts/sellers/sellers.ts"
import { defineCommand } from "../command.ts"

const kycStatuses: ReadonlyArray<StoredSeller["kycStatus"]> = ["none", "pending", "approved", "rejected"]

export const sellerCreate = defineCommand({
  name: "seller create",
  help: "Creates a seller and its user, with 2FA on. Its secrets are printed this once; the live key is null unless KYC is approved.",
  parameters: {
    email: { kind: "option", required: true, placeholder: "EMAIL", help: "Where the user signs in." },
    password: { kind: "option", required: true, placeholder: "PASSWORD", help: "12 to 256 characters." },
    name: {
      kind: "option",
      required: true,
      placeholder: "NAME",
      help: "1 to 120 characters; of user and seller.",
    },
    kyc: {
      kind: "option",
      required: false,
      placeholder: "STATUS",
      help: `${kycStatuses.join(", ")}; none if left out. Live needs approved.`,
    },
    document: {
      kind: "option",
      required: false,
      placeholder: "CPF_OR_CNPJ",
      help: "Of the seller; where it is left out, the seller sets it once (PATCH /v1/me/seller).",
    },
  },
  run: Effect.fnUntraced(function* ({ email, password, name, kyc = "none", document }) {
    const kycStatus = kycStatuses.find((status) => status === kyc)
    if (kycStatus === undefined) {
      return yield* validationFailed("kyc", `kyc must be one of ${kycStatuses.join(", ")}.`)
    }
    const sellers = yield* Sellers
    return yield* sellers.create({ email, password, name, kycStatus, document })
  }),
})
