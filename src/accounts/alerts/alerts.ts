import { Context, Effect, Layer } from "effect"
import { AlertStore } from "../../../actors/ports/alertStore.ts"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { storedReader } from "../../../actors/values/storedDocuments.ts"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { type AlertWhen, alertsWithAmount } from "../../../schema/names.ts"
import { type Alert, Notifications } from "../../../schema/resources/notifications.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"

/** The mail about a sign-in from a new device protects the account: whoever got in must not be able to turn it off. */
const signIn: Alert = { when: "new_sign_in", mail: true }

const parseSettings = storedReader("choice of alerts", Notifications)

/** Why alerts cannot be set: 400 `validation_failed` at what is wrong of the first wrong one. */
const refusalOf = ({ data }: Notifications): ApiError<"validation_failed"> | undefined => {
  for (const [index, { when, mail, min_amount }] of data.entries()) {
    const at = `data.${index}`
    if (data.findIndex((other) => other.when === when) < index) {
      return validationFailed(`${at}.when`, `Another alert is of ${when}. Set each once.`)
    }
    if (alertsWithAmount.includes(when) !== (min_amount !== undefined)) {
      const message = min_amount === undefined ? "Say the amount, in centavos." : "Leave it out."
      return validationFailed(
        `${at}.min_amount`,
        `${alertsWithAmount.join(" and ")} have an amount. ${message}`,
      )
    }
    if (when === signIn.when && !mail) {
      return validationFailed(`${at}.mail`, "The mail about a new sign-in protects the account and stays on.")
    }
  }
  return undefined
}

const withSignIn = ({ data }: Notifications): Notifications => ({
  data: data.some(({ when }) => when === signIn.when) ? data : [...data, signIn],
})

/** The alert of a kind, if it goes anywhere. */
export const alertOf = ({ data }: Notifications, when: AlertWhen): Alert | undefined =>
  data.find((alert) => alert.when === when && (alert.mail || alert.url !== undefined))

/** What the store compares with: the mail about a sign-in is another's to send. */
const choiceOf = (notifications: Notifications, settings: string) => ({
  settings,
  mail: notifications.data.flatMap(({ when, mail }) => (mail && when !== signIn.when ? [when] : [])),
  url: notifications.data.flatMap(({ when, url }) => (url === undefined ? [] : [when])),
  balanceBelow: alertOf(notifications, "balance_below")?.min_amount,
  chargeFrom: alertOf(notifications, "large_charge")?.min_amount,
})

const make = Effect.gen(function* () {
  const store = yield* AlertStore
  const opener = yield* SecretOpener
  const secrets = yield* AccountSecrets
  const destinations = yield* DestinationCheck

  const open = (sellerId: string, settings: string | undefined): Notifications => {
    const opened =
      settings === undefined ? undefined : opener.open(settings, sealedPlaces.alertSettings(sellerId))
    return withSignIn(opened === undefined ? { data: [] } : parseSettings(opened))
  }

  const checkUrls = (data: ReadonlyArray<Alert>) =>
    Effect.forEach(
      data,
      ({ url }, index) =>
        url === undefined
          ? Effect.void
          : Effect.mapError(
              destinations.check(url),
              ({ code, message }) => new ApiError({ code, message, param: `data.${index}.url` }),
            ),
      { discard: true },
    )

  return {
    /** What a seller is told of, as stored settings say. */
    open,
    /** What a seller is told of; a seller that has set nothing, of new sign-ins. */
    get: (sellerId: string) => Effect.map(store.settings(sellerId), (settings) => open(sellerId, settings)),
    /** 400 `invalid_url` at `url` where it breaks the destination rules. */
    check: destinations.check,
    /** Replaces what a seller is told of; fails with 400 `validation_failed`, or `invalid_url` at the first URL that breaks the destination rules. */
    put: Effect.fnUntraced(function* (sellerId: string, wanted: Notifications) {
      const refused = refusalOf(wanted)
      if (refused !== undefined) return yield* refused
      yield* checkUrls(wanted.data)
      const set = withSignIn(wanted)
      const settings = secrets.seal(JSON.stringify(set), sealedPlaces.alertSettings(sellerId))
      yield* askAgain(store.save(sellerId, choiceOf(set, settings)))
      return set
    }),
  }
})

/** What sellers are told of by mail or in a chat (docs/contract/notifications.md). */
export class Alerts extends Context.Service<Alerts, Effect.Success<typeof make>>()(
  "corrente/accounts/Alerts",
) {}

export const AlertsLive = Layer.effect(Alerts, make)
