import { Effect } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { type Mail, Mailer } from "../../mail/mailer.ts"
import { Users } from "../users/users.ts"

/**
 * Makes what mails a seller's owner about an operator's decision that was just written. Never fails: the decision stands whether or not
 * the mail goes out. An owner that cannot be read is logged.
 */
export const makeOwnerMails = Effect.gen(function* () {
  const sellers = yield* SellerStore
  const users = yield* Users
  const mailer = yield* Mailer
  return (sellerId: string, mail: Omit<Mail, "to">): Effect.Effect<void> =>
    Effect.gen(function* () {
      const seller = yield* sellers.get(sellerId)
      const owner = seller && (yield* users.find(seller.userId))
      if (owner !== undefined) yield* mailer.send({ ...mail, to: owner.email })
    }).pipe(
      Effect.catch(({ reason }) =>
        Effect.logError(`the owner of ${sellerId} was not mailed about ${mail.purpose}: ${reason}`),
      ),
    )
})
