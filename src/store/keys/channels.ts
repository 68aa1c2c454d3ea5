import type { Feed } from "../../../schema/ids.ts"
import { partitionOfTagIn, partitionTag } from "../tags.ts"
import { byFeed } from "./byIds.ts"
import { key } from "./keyKind.ts"

/** What processes tell each other. */
export const channels = {
  hint: key(["tag", "seller", "mode"], (tag, seller, mode) => `hint:${tag}:${seller}:${mode}`, {
    family: "hints",
    type: "channel",
    holds: "announces new events in the feed, and credentials that end",
    details:
      "`<previous entry> <entry>` when the feed grows; `revoked <credential>` when a key or session ends, so that its streams end; " +
      "`moved` when the partition is at another server, so that streams begin again",
    lifetime: "not kept",
  }),
  wake: key(["tag"], (tag) => `wake:${tag}`, {
    family: "wake-ups",
    type: "channel",
    holds: "announces that something is due earlier than expected",
    details: "`d <destination>...` when something is owed to them now; `t <ms>` when a timer is due then",
    lifetime: "not kept",
  }),
  sellersChanged: key([], () => "sellers-changed", {
    family: "changed sellers",
    type: "channel",
    holds: "announces changes of sellers' records",
    details: "the seller's id",
    lifetime: "not kept",
  }),
}

export const feedChannel = byFeed(channels.hint.name)
/** The hint channel of the feed whose events a key holds; none for another key. */
export const hintChannelsOf = (key: string): ReadonlyArray<string> => {
  const [kind, tag = "", seller = "", mode = ""] = key.split(":")
  return kind === "events" ? [channels.hint.name(tag, seller, mode)] : []
}
/** The feed of a hint channel; undefined for another channel. */
export const feedOfChannel = (channel: string): Feed | undefined => {
  const [kind, , sellerId, mode] = channel.split(":")
  if (kind !== "hint" || sellerId === undefined) return undefined
  return { sellerId, mode: mode === "live" ? "live" : "test" }
}
export const wakeChannel = channels.wake.name
/** The partition of a wake channel; undefined for another channel. */
export const partitionOfWakeChannel = (channel: string): number | undefined => {
  const partition = partitionOfTagIn(channel)
  return partition !== undefined && channel === wakeChannel(partitionTag(partition)) ? partition : undefined
}
export const sellersChannel = channels.sellersChanged.name()
