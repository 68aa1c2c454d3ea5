import { execFileSync } from "node:child_process"
import { gzipSync } from "node:zlib"
import { shiftClock } from "../../support/clockJumps.ts"
import { held, servicesSource, setRoutes, type Way } from "../../support/networkGate.ts"
import type { PspFault } from "../../support/psp.ts"
import type { GatedNode } from "../../support/redisSentinels.ts"
import { pause, until } from "../../support/until.ts"
import type { World } from "./world.ts"

/** What a seed draws for one fault. */
export interface Dice {
  /** Chooses among what the fault may strike; from 0 to 1. */
  readonly pick: number
  /** How long it lasts, where it has no end of its own. */
  readonly millis: number
}

/** A fault: it strikes and lasts, and what it leaves behind the run repairs. */
export type Strike = (world: World, dice: Dice) => Promise<void>

const hourMillis = 3_600_000

const pickOf = <Item>(items: ReadonlyArray<Item>, { pick }: Dice): Item => {
  const item = items[Math.min(Math.floor(pick * items.length), items.length - 1)]
  if (item === undefined) throw new Error("there is nothing that the fault could strike")
  return item
}

/** All other servers, and those who decide about failovers. */
const everybodyBut = ({ topology }: World, server: GatedNode): ReadonlyArray<GatedNode> =>
  [...new Set([...topology.servers, ...topology.deciders])].filter((other) => other !== server)

/** Waits until another server has the place of `old`. */
const replaced = ({ topology }: World, old: GatedNode, { pick }: Dice): Promise<void> =>
  until("another primary", async () => (await topology.primary(pick)) !== old)

const killPrimary: Strike = async (world, dice) => {
  const old = await world.topology.primary(dice.pick)
  await old.kill9()
  await replaced(world, old, dice)
}

const stopPrimary: Strike = async (world, dice) => {
  const old = await world.topology.primary(dice.pick)
  old.signal("SIGSTOP")
  await replaced(world, old, dice)
  await pause(dice.millis)
  old.signal("SIGCONT")
}

const failOver: Strike = async ({ topology }, { pick }) => topology.failOver(await topology.primary(pick))

/** A strike that changes the network around the primary for a while. */
const around =
  (change: (world: World, primary: GatedNode, dice: Dice) => void): Strike =>
  async (world, dice) => {
    change(world, await world.topology.primary(dice.pick), dice)
    await pause(dice.millis)
  }

/** The same, where the primary loses its place. */
const aroundUntilReplaced =
  (change: (world: World, primary: GatedNode) => void): Strike =>
  async (world, dice) => {
    const old = await world.topology.primary(dice.pick)
    change(world, old)
    await replaced(world, old, dice)
    await pause(dice.millis)
  }

const resets: Strike = async ({ topology }, { pick, millis }) => {
  for (let times = 0; times < 5; times += 1) {
    for (const { gate } of topology.servers) gate.reset(servicesSource)
    await pause(millis / 5)
  }
  await topology.primary(pick)
}

const loseReplies: Strike = async ({ topology }, { pick, millis }) => {
  const primary = await topology.primary(pick)
  for (let times = 0; times < 5; times += 1) {
    primary.gate.set(servicesSource, { requests: {}, answers: held })
    await pause(millis / 10)
    primary.gate.reset(servicesSource)
    primary.gate.set(servicesSource, { requests: {}, answers: {} })
    await pause(millis / 10)
  }
}

const replicasOf = async ({ topology }: World, { pick }: Dice): Promise<ReadonlyArray<GatedNode>> =>
  topology.replicas(await topology.primary(pick))

const killReplica: Strike = async (world, dice) => {
  await pickOf(await replicasOf(world, dice), dice).kill9()
  await pause(dice.millis)
}

const stopReplica: Strike = async (world, dice) => {
  pickOf(await replicasOf(world, dice), dice).signal("SIGSTOP")
  await pause(dice.millis)
}

/** Starts a service again as a supervisor does: as often as it takes. */
const startAgain = (service: World["services"][number]): Promise<void> =>
  until("a killed service to listen again", () =>
    service.restart().then(
      () => true,
      () => false,
    ),
  )

const killService: Strike = async ({ services }, dice) => {
  const service = pickOf(services, dice)
  await service.kill9()
  await pause(Math.min(dice.millis, 1_000))
  await startAgain(service)
}

const stopService: Strike = async ({ services }, dice) => {
  pickOf(services, dice).signal("SIGSTOP")
  await pause(dice.millis)
}

/** The clock of a service jumps an hour, forth or back, and after a while returns. */
const jumpClock: Strike = async ({ services }, dice) => {
  const service = pickOf(services, dice)
  // The second digit of the draw: the first ones choose the service.
  const isAhead = Math.floor(dice.pick * 100) % 2 === 0
  shiftClock(service, isAhead ? hourMillis : -hourMillis)
  await pause(dice.millis)
  shiftClock(service, 0)
}

/** Redis may take no more memory: it refuses every write. */
const fillMemory: Strike = async ({ topology }, { pick, millis }) => {
  const primary = await topology.primary(pick)
  await primary.call("CONFIG", "SET", "maxmemory", 1)
  await pause(millis)
  await primary.call("CONFIG", "SET", "maxmemory", 0)
}

/** The primary may write no further byte to a file: it ends, as on a full disk, in the middle of a write. */
const fillDisk: Strike = async (world, dice) => {
  const old = await world.topology.primary(dice.pick)
  execFileSync("prlimit", ["--pid", String(old.pid()), "--fsize=4096:4096"])
  await replaced(world, old, dice)
}

/** A strike that has receivers of webhooks do something for a while. */
const receiving =
  (behaviour: Parameters<World["receive"]>[0]): Strike =>
  async ({ receive }, { millis }) => {
    receive(behaviour)
    await pause(millis)
    receive(undefined)
  }

/** A strike that has the bank do something with its next requests. */
const banking =
  (fault: PspFault, requests: ReadonlyArray<string>): Strike =>
  async ({ psp }, { millis }) => {
    for (const beginning of requests) psp.fail(beginning, fault, 10)
    await pause(millis)
    psp.heal()
  }

const payouts = ["PUT /v3/gn/pix", "GET /v2/gn/pix/enviados"]
const unknownPayout: PspFault = {
  kind: "answer",
  status: 404,
  body: { nome: "envio_nao_encontrado", mensagem: "Nenhum envio encontrado para o idEnvio informado." },
}

/** Faults of Redis, after which another server is the primary, or may be. */
export const failovers = {
  "kill-primary": killPrimary,
  "stop-primary": stopPrimary,
  "planned-failover": failOver,
  "cut-primary-off": aroundUntilReplaced((world, primary) =>
    setRoutes(primary, everybodyBut(world, primary), { hears: held, says: held, services: true }),
  ),
  "cut-primary-from-deciders": aroundUntilReplaced(({ topology }, primary) =>
    setRoutes(primary, topology.deciders, { hears: held, says: held }),
  ),
  "cut-primary-from-replicas": around(({ topology }, primary) =>
    setRoutes(primary, topology.replicas(primary), { hears: held, says: held }),
  ),
  "cut-primary-from-services": around((_world, primary) =>
    setRoutes(primary, [], { hears: held, says: held, services: true }),
  ),
  "primary-hears-nobody": aroundUntilReplaced((world, primary) =>
    setRoutes(primary, everybodyBut(world, primary), { hears: held, services: true }),
  ),
  "nobody-hears-primary": aroundUntilReplaced((world, primary) =>
    setRoutes(primary, everybodyBut(world, primary), { says: held, services: true }),
  ),
} as const satisfies Readonly<Record<string, Strike>>

/** Every fault, by its name. */
export const faultKinds = {
  ...failovers,
  "slow-network": around((world, primary, { pick }) => {
    const slow: Way = { delayMillis: 10 + 100 * pick }
    setRoutes(primary, everybodyBut(world, primary), { hears: slow, says: slow, services: true })
  }),
  "sliced-network": around((_world, primary, { pick }) => {
    const sliced: Way = { sliceBytes: 50 + Math.floor(1_000 * pick) }
    setRoutes(primary, [], { hears: sliced, says: sliced, services: true })
  }),
  "reset-connections": resets,
  "lose-replies": loseReplies,
  "kill-replica": killReplica,
  "stop-replica": stopReplica,
  "kill-service": killService,
  "stop-service": stopService,
  "clock-jumps": jumpClock,
  "full-memory": fillMemory,
  "full-disk": fillDisk,
  "receivers-hang": receiving({ kind: "silent" }),
  "receivers-drip": receiving({ kind: "trickle" }),
  "receivers-flood": receiving({ kind: "headerFlood", bytes: 1_000_000 }),
  "receivers-pour": receiving({ kind: "respond", body: Buffer.alloc(5_000_000, "x") }),
  "receivers-bomb": receiving({
    kind: "respond",
    headers: { "content-encoding": "gzip" },
    body: gzipSync(Buffer.alloc(100_000_000)),
  }),
  "receivers-cut": receiving({ kind: "reset" }),
  "bank-loses-answers": banking({ kind: "lost" }, ["PUT /cob", ...payouts]),
  "bank-cuts": banking({ kind: "cut" }, ["PUT /cob", ...payouts]),
  "bank-fails": banking({ kind: "answer", status: 500 }, ["PUT /cob", ...payouts]),
  "bank-talks-nonsense": banking({ kind: "text", text: "<html>" }, ["PUT /cob", ...payouts]),
  "bank-contradicts": banking(unknownPayout, ["GET /v2/gn/pix/enviados/id-envio"]),
} as const satisfies Readonly<Record<string, Strike>>

export type FaultName = keyof typeof faultKinds
export const faultNames = Object.keys(faultKinds) as ReadonlyArray<FaultName>
