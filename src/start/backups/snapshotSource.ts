import { Clock, Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { HostAndPort } from "../../config/redisUrl.ts"
import type { NodeLogin } from "../../store/redis/clusterDiscovery.ts"
import { addressOf } from "../../store/redis/clusterView.ts"
import { infoField } from "../ownRedis/redisProbe.ts"
import { RedisServerError } from "../ownRedis/redisServerError.ts"
import type { Copied } from "./backupFolder.ts"
import { ask, askOnce, connect, type Primary } from "./servers.ts"
import { receiveSnapshot, type SnapshotMoment } from "./snapshotStream.ts"

/** A replica that is a minute behind will not catch up soon. */
const catchUpMillisMax = 60_000
const lookMillis = 100

/** What a primary had when it was asked. */
export interface PrimaryMoment extends SnapshotMoment {
  /** ISO time of its clock: what was acknowledged before is in every later snapshot. */
  readonly takenAt: string
  readonly redisVersion: string
}

/** Where a snapshot comes from. */
export interface SnapshotSource {
  readonly place: HostAndPort
  readonly role: "primary" | "replica"
}

/** A snapshot as received. */
export interface ReceivedSnapshot extends SnapshotMoment, Copied, SnapshotSource {}

const momentIn = (info: string): SnapshotMoment => ({
  replicationId: infoField(info, "master_replid"),
  offset: Number(infoField(info, "master_repl_offset")),
})

/** Reads what a primary has now. Fails where the server is a replica. */
export const primaryMoment = Effect.fnUntraced(function* (login: NodeLogin, place: HostAndPort) {
  const redis = yield* connect(login, place)
  const [seconds, microseconds] = (yield* ask(redis, "TIME")) as ReadonlyArray<string>
  const info = String(yield* ask(redis, "INFO"))
  if (infoField(info, "role") !== "master") {
    return yield* new RedisServerError({
      message: `The Redis at ${addressOf(place)} is a replica. Name its primary in REDIS_URL, or its Sentinels.`,
    })
  }
  const takenMillis = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
  const moment: PrimaryMoment = {
    ...momentIn(info),
    takenAt: new Date(takenMillis).toISOString(),
    redisVersion: infoField(info, "redis_version"),
  }
  return moment
}, Effect.scoped)

/** Why a replica cannot be read yet; undefined where it has all that its primary had. */
const lagOf = (info: string, { replicationId, offset }: SnapshotMoment): string | undefined => {
  if (infoField(info, "role") !== "slave") return "is no replica"
  if (infoField(info, "master_link_status") !== "up") return "has lost its link to the primary"
  if (infoField(info, "master_replid") !== replicationId) return "follows another primary"
  const behind = offset - Number(infoField(info, "slave_repl_offset"))
  return behind > 0 ? `is ${behind} bytes behind` : undefined
}

const lagAt = (login: NodeLogin, replica: HostAndPort, moment: SnapshotMoment) =>
  askOnce(login, replica, "INFO", "replication").pipe(
    Effect.map((info) => lagOf(String(info), moment)),
    Effect.catch((error) => Effect.succeed(`does not answer (${error.reason})`)),
  )

/** The first replica that has everything which the primary had. Waits for it up to a minute. */
const readyReplica = Effect.fnUntraced(function* (
  login: NodeLogin,
  { place, replicas }: Primary,
  moment: SnapshotMoment,
) {
  const endMillis = (yield* Clock.currentTimeMillis) + catchUpMillisMax
  for (;;) {
    const lags: Array<string> = []
    for (const replica of replicas) {
      const lag = yield* lagAt(login, replica, moment)
      if (lag === undefined) return replica
      lags.push(`${addressOf(replica)} ${lag}`)
    }
    if ((yield* Clock.currentTimeMillis) >= endMillis) {
      return yield* new RedisServerError({
        message: `No replica of ${addressOf(place)} has what the primary had ${catchUpMillisMax / 1_000} s ago: ${lags.join("; ")}. Mend them, or read the primary with --from-primaries.`,
      })
    }
    yield* Effect.sleep(lookMillis)
  }
})

/** Whether a primary still is one, and writes the history that a snapshot of it names: it takes a new id for its first replica. */
const stillWrites = (login: NodeLogin, place: HostAndPort, { replicationId }: SnapshotMoment) =>
  Effect.map(askOnce(login, place, "INFO", "replication"), (info) => {
    const text = String(info)
    return infoField(text, "role") === "master" && infoField(text, "master_replid") === replicationId
  })

/**
 * Writes a snapshot of what a primary has to `file`: read from a replica where there is one, unless `isFromPrimary`. Everything that
 * the primary had at `moment` is in it. Fails, saying what to do, where no replica catches up within a minute, or another primary
 * takes over.
 */
export const takeSnapshot = Effect.fn("takeSnapshot")(function* (
  login: NodeLogin,
  primary: Primary,
  moment: PrimaryMoment,
  options: { readonly file: string; readonly isFromPrimary: boolean },
): Effect.fn.Return<ReceivedSnapshot, RedisServerError | StoreUnavailable> {
  const isFromPrimary = options.isFromPrimary || primary.replicas.length === 0
  for (;;) {
    const source: SnapshotSource = isFromPrimary
      ? { place: primary.place, role: "primary" }
      : { place: yield* readyReplica(login, primary, moment), role: "replica" }
    const isWanted = ({ replicationId, offset }: SnapshotMoment) =>
      replicationId !== moment.replicationId || offset >= moment.offset
    const received = yield* receiveSnapshot(login, source.place, options.file, isWanted)
    if (received === undefined) {
      yield* Effect.sleep(lookMillis)
      continue
    }
    const isSameHistory =
      received.replicationId === moment.replicationId ||
      (isFromPrimary && (yield* stillWrites(login, source.place, received)))
    if (isSameHistory) return { ...received, ...source }
    return yield* new RedisServerError({
      message: `Another primary took over from ${addressOf(primary.place)} meanwhile. Try again.`,
    })
  }
})
