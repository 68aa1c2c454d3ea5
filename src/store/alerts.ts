import { Effect, Layer } from "effect"
import { type AlertChoice, AlertStore, type ClaimedAlert } from "../../actors/ports/alertStore.ts"
import { alertOfEvent } from "../../actors/values/alertNames.ts"
import { limits } from "../../schema/limits.ts"
import type { AlertChannel, AlertWhen } from "../../schema/names.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]

const feedOf = (sellerId: string) => ({ sellerId, mode: "live" }) as const

/** The choice of a channel as fan-out reads it: events, and what is no event under its own name. */
const choiceOf = (chosen: ReadonlyArray<AlertWhen>): string | undefined => {
  if (chosen.length === 0) return undefined
  const ofEvents = Object.entries(alertOfEvent).filter(([, when]) => chosen.includes(when))
  const inEvents = new Set(Object.values(alertOfEvent))
  const others = chosen.filter((when) => !inEvents.has(when)).map((when) => [when, when])
  return `,${[...ofEvents, ...others].map(([name, when]) => `${name}=${when}`).join(",")},`
}

const saveFunction = luaFunction("alerts.save", {
  keys: ["settings", "subscriptions", "balance"],
  texts: ["settings"],
  audited: { replies: ["saved"] },
})

const save = (client: Client) => (sellerId: string, choice: AlertChoice) => {
  const call = callFunction(
    client,
    saveFunction,
    {
      settings: keys.alertSettingsKey(sellerId),
      subscriptions: keys.subscriptionsKey(feedOf(sellerId)),
      balance: keys.balanceKey(feedOf(sellerId)),
    },
    {
      mail: choiceOf(choice.mail),
      url: choiceOf(choice.url),
      below: choice.balanceBelow,
      large: choice.chargeFrom,
    },
    { settings: choice.settings },
  )
  return Effect.asVoid(Effect.flatMap(call, readKind(saveFunction, { saved: "saved" })))
}

const noteFunction = luaFunction("alerts.note", { keys: ["subscriptions"] })

const raise = (client: Client) => (sellerId: string, name: AlertWhen, about: string) =>
  Effect.asVoid(
    callFunction(
      client,
      noteFunction,
      { subscriptions: keys.subscriptionsKey(feedOf(sellerId)) },
      { sellerId, name, about },
    ),
  )

const claimFunction = luaFunction("alerts.claim", { keys: ["owed", "settings", "timers"] })

const readMember = (sellerId: string, leaseEndMillis: number, member: string): ClaimedAlert => {
  const [tries, channel, when, ...about] = member.split(" ")
  return {
    sellerId,
    leaseEndMillis,
    channel: channel as AlertChannel,
    when: when as AlertWhen,
    about: about.join(" "),
    tries: Number(tries),
  }
}

const memberOf = ({ tries, channel, when, about }: ClaimedAlert): string =>
  `${tries} ${channel} ${when} ${about}`

const workKeys = (sellerId: string) => ({
  owed: keys.alertsKey(sellerId),
  timers: keys.timersKey(keys.tagOf(sellerId)),
})

/** Leases alerts of a seller that are due. */
const claim = (client: Client) => (sellerId: string) =>
  Effect.map(
    callFunction(
      client,
      claimFunction,
      { ...workKeys(sellerId), settings: keys.alertSettingsKey(sellerId) },
      { sellerId, alertsMax: limits.alertsPerClaim, leaseMillis: limits.alertLeaseMillis },
    ),
    (reply) => {
      const [settings, leaseEnd, ...members] = words(reply)
      return {
        settings: settings || undefined,
        claimed: members.map((member) => readMember(sellerId, Number(leaseEnd), member)),
      }
    },
  )

const finishFunction = luaFunction("alerts.finish", { keys: ["owed", "timers"] })

/** Ends a leased alert, or puts it off: `finished`, or refused as `stale`. */
const finish = (client: Client) => (alert: ClaimedAlert, againInMillis: number | undefined) => {
  const { sellerId, leaseEndMillis } = alert
  const call = callFunction(client, finishFunction, workKeys(sellerId), {
    sellerId,
    member: memberOf(alert),
    leaseEndMillis,
    again:
      againInMillis === undefined
        ? undefined
        : { member: memberOf({ ...alert, tries: alert.tries + 1 }), inMillis: againInMillis },
  })
  return Effect.flatMap(call, readKind(finishFunction, { finished: "finished", stale: "stale" }))
}

/** Alerts on Redis. */
export const AlertStoreLive = Layer.effect(
  AlertStore,
  Effect.map(RedisClient, (client) =>
    AlertStore.of({
      settings: (sellerId) =>
        Effect.map(client.call("HGET", [keys.alertSettingsKey(sellerId), "sealed"]), (sealed) =>
          typeof sealed === "string" ? sealed : undefined,
        ),
      save: save(client),
      raise: raise(client),
      claim: claim(client),
      finish: finish(client),
    }),
  ),
)
