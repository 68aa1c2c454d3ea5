import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Redis } from "ioredis"
import { describe, expect, it } from "vitest"
import { parseRedisUrl } from "../../src/config/redisUrl.ts"
import { freeTestPort } from "../support/ports.ts"
import {
  composeNetworks,
  composeService,
  composeServices,
  composeVolumes,
  mountOf,
  networksOf,
} from "./composeFile.ts"
import { entryPointFolder, redisScript } from "./redisScripts.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), "utf8")

const named = composeServices

/** A variable as the compose file names it. */
const variable = (text: string): string => `\${${text}}`

/** A tag of an exact version, and a digest. */
const pinned = /^[\w./-]+:v?\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/

describe("images and actions", () => {
  it("every image of the compose file is pinned by version and digest, or is the service's own", () => {
    for (const [name, { image, build }] of named) {
      if (build === undefined) expect(image, name).toMatch(pinned)
      else expect([["app", "app-ha"].includes(name), image]).toEqual([true, undefined])
    }
  })

  it("every image that the service's own is built from is pinned by version and digest, the same for all stages", () => {
    const froms = [...read("deploy/Dockerfile").matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)]
    const stages = froms.map(([, , stage]) => stage)
    const bases = froms.map(([, image = ""]) => image).filter((image) => !stages.includes(image))
    expect(bases.length).toBeGreaterThan(1)
    for (const image of bases) expect(image).toMatch(pinned)
    expect(new Set(bases).size).toBe(1)
  })

  it("the image has the version of Node that package.json names", () => {
    const { dependencies } = JSON.parse(read("package.json"))
    expect(read("deploy/Dockerfile")).toContain(`FROM node:${dependencies.node}-`)
  })

  it("an image without a version or a digest is noticed", () => {
    const digest = `sha256:${"0".repeat(64)}`
    for (const image of ["redis", "redis:8", "redis:8.8.0", `redis@${digest}`, `redis:8@${digest}`]) {
      expect(image).not.toMatch(pinned)
    }
    expect(`redis:8.8.0@${digest}`).toMatch(pinned)
  })

  it("every action of a workflow is pinned by its commit, and names its version", () => {
    const folder = ".github/workflows"
    const lines = readdirSync(join(root, folder)).flatMap((name) => read(join(folder, name)).split("\n"))
    const uses = lines.filter((line) => /\buses:/.test(line))
    expect(uses.length).toBeGreaterThan(2)
    for (const line of uses) expect(line).toMatch(/uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })
})

describe("every container", () => {
  it("every container has a read-only root and gets no new privileges", () => {
    for (const [name, { read_only, security_opt }] of named) {
      expect([name, read_only]).toEqual([name, true])
      expect([name, security_opt]).toEqual([name, ["no-new-privileges:true"]])
    }
  })

  it("containers write to volumes and temporary folders that they need, and nowhere else", () => {
    const writable = named.map(([name, { volumes = [], tmpfs = [] }]) => [
      name,
      [...volumes.filter((volume) => !volume.endsWith(":ro")).map(mountOf), ...tmpfs],
    ])
    expect(Object.fromEntries(writable)).toEqual({
      redis: ["/data"],
      app: ["/data", "/tmp"],
      "app-ha": ["/data", "/tmp"],
      "redis-2": ["/data"],
      "redis-3": ["/data"],
      "sentinel-1": ["/data"],
      "sentinel-2": ["/data"],
      "sentinel-3": ["/data"],
      mail: ["/tmp"],
      prometheus: ["/prometheus", "/run/secrets"],
      grafana: ["/var/lib/grafana", "/var/log/grafana", "/tmp"],
    })
  })

  it("no read-only container has a secret or a configuration that Compose would copy into it", () => {
    for (const [name, { secrets, configs }] of named)
      expect([name, secrets, configs]).toEqual([name, undefined, undefined])
  })

  it("ports are open for this machine alone", () => {
    const ports = named.flatMap(([, { ports: own = [] }]) => own)
    // app-ha has that of app, in whose place it runs.
    expect(ports.length).toBe(5)
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
  })
})

describe("Redis of the compose file", () => {
  const servers = ["redis", "redis-2", "redis-3"]
  const sentinels = ["sentinel-1", "sentinel-2", "sentinel-3"]

  it("Redis is on a network of its own, which the service alone joins and which leads nowhere", () => {
    const members = named.filter(([, service]) => networksOf(service).includes("redis")).map(([name]) => name)
    expect(members.toSorted()).toEqual([...servers, ...sentinels, "app", "app-ha"].toSorted())
    for (const name of [...servers, ...sentinels]) {
      expect([name, networksOf(composeService(name))]).toEqual([name, ["redis"]])
      expect([name, composeService(name).ports]).toEqual([name, undefined])
    }
    expect(composeNetworks.redis).toEqual({ internal: true })
  })

  it("Redis' password has no default, and the service signs in with it", () => {
    for (const name of [...servers, ...sentinels]) {
      const { REDISCLI_AUTH = "" } = composeService(name).environment ?? {}
      expect(REDISCLI_AUTH).toMatch(/^\$\{REDIS_PASSWORD:\?.+docs\/deployment\.md#docker-compose.+\}$/)
    }
    const urlOf = (name: string) => composeService(name).environment?.REDIS_URL ?? ""
    expect(urlOf("app")).toBe(`redis://:${variable("REDIS_PASSWORD")}@redis:6379`)
    const parsedOf = (name: string) =>
      parseRedisUrl(urlOf(name).replaceAll(variable("REDIS_PASSWORD"), "0a1b2c"))
    expect(parsedOf("app")).toMatchObject({ kind: "server" })
    expect(parsedOf("app-ha")).toEqual({
      kind: "sentinel",
      sentinels: sentinels.map((host) => ({ host, port: 26_379 })),
      ...{ masterName: "corrente", db: 0, isTls: false },
      ...{ username: undefined, password: "0a1b2c" },
      ...{ sentinelUsername: undefined, sentinelPassword: "0a1b2c" },
    })
  })

  it("Redis refuses whoever does not know the password, keeps every write and evicts nothing", async () => {
    expect(composeService("redis").command).toEqual(["/bin/sh", "/etc/corrente/start-redis.sh"])
    const folder = mkdtempSync(join(tmpdir(), "compose-redis-"))
    const port = await freeTestPort()
    const server = spawn("/bin/sh", [redisScript("start-redis.sh")], {
      env: {
        PATH: `${entryPointFolder()}:${process.env.PATH}`,
        REDISCLI_AUTH: "0123456789abcdef",
        DATA: folder,
        REDIS_SELF: `localhost:${port}`,
        REDIS_SERVERS: `localhost:${port}`,
      },
      stdio: ["ignore", "ignore", "inherit"],
    })
    const ended = once(server, "exit")
    const stranger = new Redis({ port, retryStrategy: () => 20, maxRetriesPerRequest: null })
    const service = new Redis({
      port,
      password: "0123456789abcdef",
      retryStrategy: () => 20,
      maxRetriesPerRequest: null,
    })
    for (const client of [stranger, service]) client.on("error", () => undefined)
    try {
      expect(await service.ping()).toBe("PONG")
      await expect(stranger.get("a")).rejects.toThrow("NOAUTH")
      expect(readFileSync(`/proc/${server.pid}/cmdline`, "utf8")).not.toContain("0123456789abcdef")
      const valueOf = async (name: string) =>
        ((await service.config("GET", name)) as ReadonlyArray<string>)[1]
      const names = ["appendonly", "appendfsync", "maxmemory-policy", "aof-load-truncated", "save"]
      const values = await Promise.all(names.map(valueOf))
      expect(values).toEqual(["yes", "always", "noeviction", "no", ""])
      expect(await valueOf("hash-max-listpack-value")).toBe("2048")
    } finally {
      stranger.disconnect()
      service.disconnect()
      server.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("Redis counts as healthy once it answers whoever has the password", () => {
    expect(composeService("redis").healthcheck?.test).toEqual(["CMD-SHELL", "redis-cli ping | grep -qx PONG"])
  })

  it("the profile ha adds two replicas and three Sentinels, each with a volume of its own, and nothing else needs it", () => {
    const ha = named.filter(([, { profiles }]) => profiles?.includes("ha")).map(([name]) => name)
    expect(ha.toSorted()).toEqual(["app-ha", "redis-2", "redis-3", ...sentinels])
    const data = [...servers, ...sentinels].map((name) =>
      composeService(name).volumes?.find((volume) => mountOf(volume) === "/data"),
    )
    expect(new Set(data).size).toBe(6)
    for (const volume of data) expect(Object.keys(composeVolumes)).toContain(volume?.split(":")[0])
    for (const name of ["redis-2", "redis-3"]) {
      expect(composeService(name).environment).toMatchObject({
        REDIS_SELF: `${name}:6379`,
        REDIS_SERVERS: servers.map((server) => `${server}:6379`).join(" "),
      })
    }
    for (const name of sentinels) {
      expect(composeService(name).environment).toMatchObject({
        SENTINEL_SELF: `${name}:26379`,
        REDIS_SERVERS: servers.map((server) => `${server}:6379`).join(" "),
      })
      expect(composeService(name).command).toEqual(["/bin/sh", "/etc/corrente/start-sentinel.sh"])
    }
  })

  it("the service of the profile ha waits for a replica, and starts after all servers and Sentinels", () => {
    const { environment, depends_on, build } = composeService("app-ha")
    expect(environment?.REDIS_WAIT_REPLICAS).toBe("1")
    expect(build).toEqual(composeService("app").build)
    expect(Object.keys(depends_on ?? {})).toEqual(expect.arrayContaining([...servers, ...sentinels]))
  })
})

describe("settings of the compose file", () => {
  it("the mail server and the sender can be set, and without them mails go to the catcher", () => {
    const { SMTP_URL, MAIL_FROM } = composeService("app").environment ?? {}
    expect(SMTP_URL).toBe(variable("SMTP_URL:-smtp://mail:1025?ignoreTLS=true"))
    expect(MAIL_FROM).toBe(variable("MAIL_FROM:-Corrente <no-reply@localhost>"))
  })

  it("Grafana has no administrator, nobody signs in, and whoever looks changes nothing", () => {
    expect(composeService("grafana").environment).toMatchObject({
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: "true",
      GF_AUTH_DISABLE_LOGIN_FORM: "true",
      GF_AUTH_BASIC_ENABLED: "false",
      GF_AUTH_ANONYMOUS_ENABLED: "true",
      GF_AUTH_ANONYMOUS_ORG_ROLE: "Viewer",
    })
  })

  it("no secret of the compose file has a default", () => {
    const secret = /PASSWORD|TOKEN|KEY|AUTH$/
    for (const [name, { environment = {} }] of named) {
      for (const [variable, value] of Object.entries(environment)) {
        if (!secret.test(variable)) continue
        expect(`${name} ${variable} ${value}`).toMatch(/ \$\{\w+:(?:\?.+|-)\}$/)
      }
    }
  })
})
