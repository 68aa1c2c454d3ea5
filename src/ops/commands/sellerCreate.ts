import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Sellers } from "../../accounts/sellers/sellers.ts"
import { answer } from "../answer.ts"
import { choiceFlag, optionalFlag, textFlag } from "../parameters.ts"
import { secretFlags, withPassword } from "../secretInput.ts"
import { fields, note } from "../text/blocks.ts"

const kycStatuses = ["none", "pending", "approved", "rejected"] as const

export const sellerCreate = Command.make(
  "create",
  {
    email: textFlag("email", "EMAIL", "The user's e-mail address."),
    password: secretFlags("password", "PASSWORD", "12 to 256 characters."),
    name: textFlag("name", "NAME", "Name of both user and seller, 1 to 120 characters."),
    kyc: choiceFlag("kyc", "STATUS", kycStatuses, "Default none. Live mode needs approved.").pipe(
      Flag.withDefault("none" as const),
    ),
    document: optionalFlag(
      textFlag(
        "document",
        "CPF_OR_CNPJ",
        "The seller's document. If left out, the seller sets it once (PATCH /v1/me/seller).",
      ),
    ),
  },
  withPassword(
    answer(
      Effect.fnUntraced(function* ({ email, password, name, kyc: kycStatus, document }) {
        const sellers = yield* Sellers
        return yield* sellers.create({ email, password, name, kycStatus, document })
      }),
      ({ seller_id, user_id, totp_secret, api_keys, postback_secret }) => [
        fields(
          ["Seller", seller_id],
          ["User", user_id],
          ["API key, test", api_keys.test],
          ["API key, live", api_keys.live ?? "none: KYC is not approved"],
          ["Postback secret", postback_secret],
          ["TOTP secret", totp_secret],
        ),
        note("Keep the keys and secrets: they are shown only this once."),
      ],
    ),
  ),
).pipe(
  Command.withDescription(
    "Create a seller and its user, with 2FA on. Secrets are printed only this once; the live key is null unless KYC is approved.",
  ),
)
