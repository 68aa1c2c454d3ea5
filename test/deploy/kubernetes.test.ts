import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { IServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor"
import { Effect } from "effect"
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment"
import type { IStatefulSet } from "kubernetes-models/apps/v1/StatefulSet"
import type { IIngress } from "kubernetes-models/networking.k8s.io/v1/Ingress"
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"
import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import type { IService } from "kubernetes-models/v1/Service"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { limits } from "../../schema/limits.ts"
import { parseRedisUrl } from "../../src/config/redisUrl.ts"
import { loadSettings } from "../../src/config/settings.ts"
import { createAuthority } from "../support/certificates.ts"
import { composeService } from "./composeFile.ts"
import { build, kitFolder, type Manifest, readParts, whyNotBuilt } from "./kustomization.ts"
import { problemsOf } from "./manifestSchemas.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const guide = read("docs/deployment.md")

const { objects, configMaps } = readParts(join(kitFolder, "example"))
const objectOf = <Kind>(kind: string, name: string): Kind => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found as Kind
}
const settings = configMaps.get("corrente") ?? {}
const deployment = objectOf<IDeployment>("Deployment", "corrente").spec
const servers = objectOf<IStatefulSet>("StatefulSet", "redis").spec
const sentinels = objectOf<IStatefulSet>("StatefulSet", "sentinel").spec
const workloads = { service: deployment, servers, sentinels }
const pods = Object.entries(workloads).map(([name, spec]) => [name, spec?.template] as const)
const container = deployment?.template.spec?.containers[0]

/** Whether labels are those that a selector of labels names. */
const selects = (
  selector: { readonly matchLabels?: object; readonly matchExpressions?: ReadonlyArray<object> } | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean =>
  Object.entries(selector?.matchLabels ?? {}).every(([name, value]) => labels[name] === value) &&
  ((selector?.matchExpressions ?? []) as ReadonlyArray<{ key: string; values: ReadonlyArray<string> }>).every(
    ({ key, values }) => values.includes(labels[key] ?? ""),
  )

describe("manifests", () => {
  it("every object of the kit has the schema of its kind, and no member that Kubernetes does not know", async () => {
    expect(objects.length).toBeGreaterThan(14)
    expect(await problemsOf(objects)).toEqual([])
  })

  it("an unknown member, a wrong type and a missing member are noticed", async () => {
    const broken = (change: (pod: Record<string, unknown>) => void): Manifest => {
      const copy = structuredClone(objectOf<Manifest>("Deployment", "corrente"))
      const { template } = copy.spec as { template: { spec: { containers: [Record<string, unknown>] } } }
      change(template.spec.containers[0])
      return copy
    }
    const unknown = await problemsOf([broken((pod) => Object.assign(pod, { imagePolicy: "Always" }))])
    expect(unknown.join("\n")).toMatch(/'"imagePolicy"' does not exist in type 'IContainer'/)
    const wrong = await problemsOf([
      broken((pod) => Object.assign(pod, { ports: [{ containerPort: "3000" }] })),
    ])
    expect(wrong.join("\n")).toContain("containerPort must be integer")
    const missing = await problemsOf([broken((pod) => delete pod.name)])
    expect(missing.join("\n")).toContain("must have required property name")
  })
})

describe.skipIf(whyNotBuilt !== "")(`kubectl kustomize${whyNotBuilt}`, () => {
  const built = whyNotBuilt === "" ? build(join(kitFolder, "example")) : []

  it("the example builds into valid objects of one namespace", async () => {
    expect(await problemsOf(built)).toEqual([])
    for (const { kind, metadata } of built)
      expect([kind, metadata]).toEqual([
        kind,
        expect.objectContaining(kind === "Namespace" ? { name: "corrente" } : { namespace: "corrente" }),
      ])
  })

  it("the base builds alone", async () => {
    const kinds = build(join(kitFolder, "base")).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual([
      ...["ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service"],
    ])
  })

  it("pods name ConfigMaps that are built, whose names change with what they hold", () => {
    const names = built.filter(({ kind }) => kind === "ConfigMap").map(({ metadata }) => metadata.name)
    expect(names.length).toBe(2)
    const text = JSON.stringify(built.filter(({ kind }) => /^(Deployment|StatefulSet)$/.test(kind)))
    const named = [
      ...text.matchAll(/"(?:configMapRef|configMapKeyRef|configMap)":\{(?:"key":"\w+",)?"name":"([^"]+)"/g),
    ]
    expect(named.length).toBe(5)
    expect(new Set(named.map(([, name]) => name))).toEqual(new Set(names))
    for (const name of names) expect(name).toMatch(/^(corrente|redis)-[a-z0-9]{10}$/)
  })

  it("overlays set the settings of the service and its image", () => {
    const map = built.find(
      ({ kind, metadata }) => kind === "ConfigMap" && metadata.name.startsWith("corrente-"),
    )
    expect(map?.data).toEqual(settings)
    const object = built.find(({ kind }) => kind === "Deployment") as IDeployment | undefined
    expect(object?.spec?.template.spec?.containers[0]?.image).toBe("registry.example.com/corrente:0.1.0")
  })
})

describe("settings of the pods", () => {
  const documented = read("docs/operations.md") + read("docs/partner.md")

  it("every setting is a documented one", () => {
    expect(Object.keys(settings).length).toBeGreaterThan(10)
    for (const name of Object.keys(settings)) expect(documented).toContain(`\`${name}\``)
  })

  it("the service takes the settings of the example, with secrets from files", async ({ onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), "corrente-kit-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const issued = createAuthority("Bank").issue({ names: ["corrente"] })
    const secrets: Readonly<Record<string, string>> = {
      "redis-url": documentedUrl("0a1b2c"),
      "encryption-key": Buffer.alloc(32, 7).toString("base64"),
      "metrics-token": "0123456789abcdef",
      "smtp-url": "smtps://mail.example.com",
      "api-pix-client-secret": "secret",
      "api-pix-webhook-secret": "0123456789abcdef0123456789abcdef",
      "api-pix-cert.pem": issued.certificatePem,
      "api-pix-key.pem": issued.privateKeyPem,
    }
    for (const [name, text] of Object.entries(secrets)) writeFileSync(join(folder, name), text)
    const mounted = container?.volumeMounts?.find(({ name }) => name === "secrets")?.mountPath ?? ""
    const environment = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, value.replace(mounted, folder)]),
    )
    const files = Object.values(settings).filter((value) => value.startsWith(mounted))
    expect(files.map((file) => file.slice(mounted.length + 1)).toSorted()).toEqual(
      Object.keys(secrets).toSorted(),
    )
    const loaded = await Effect.runPromise(loadSettings({ NODE_ENV: "production", ...environment }))
    expect(loaded).toMatchObject({ port: 3000, replication: { replicas: 1 }, environment: "production" })
  })

  it("no pod has a secret in a variable", () => {
    for (const [name, template] of pods) {
      expect([name, JSON.stringify(template)]).toEqual([name, expect.not.stringContaining("secretKeyRef")])
      expect([name, JSON.stringify(template)]).toEqual([name, expect.not.stringContaining("secretRef")])
    }
  })

  it("the guide makes each secret that pods and Prometheus read", () => {
    const made = [...guide.matchAll(/--from-file=([\w.-]+)=/g)].map(([, key]) => key ?? "")
    const mounted = "/run/secrets/corrente/"
    const wanted = Object.values(settings).flatMap((value) =>
      value.startsWith(mounted) ? [value.slice(mounted.length)] : [],
    )
    expect(made.toSorted()).toEqual([...wanted, "password"].toSorted())
    const { endpoints = [] } = objectOf<IServiceMonitor>("ServiceMonitor", "corrente").spec
    expect(endpoints[0]?.authorization?.credentials).toEqual({ name: "corrente", key: "metrics-token" })
    expect(settings.METRICS_TOKEN_FILE).toBe(`${mounted}metrics-token`)
  })
})

/** REDIS_URL of the guide, which names the Sentinels of the kit. */
const documentedUrl = (password: string): string =>
  (/redis\+sentinel:\/\/\S*sentinel_password=\$REDIS_PASSWORD/.exec(guide)?.[0] ?? "").replaceAll(
    "$REDIS_PASSWORD",
    password,
  )

describe("pods of the service", () => {
  it("probes ask the contract's routes: /health whether it lives, /ready whether it serves", () => {
    const { livenessProbe, readinessProbe, startupProbe, ports } = container ?? {}
    expect(livenessProbe?.httpGet).toEqual({ path: "/health", port: "http" })
    expect(startupProbe?.httpGet).toEqual({ path: "/health", port: "http" })
    expect(readinessProbe?.httpGet).toEqual({ path: "/ready", port: "http" })
    const contract = read("docs/contract/health.md")
    for (const path of ["/health", "/ready"]) expect(contract).toContain(`\`GET ${path}\``)
    expect(ports).toEqual([{ name: "http", containerPort: Number(settings.PORT) }])
  })

  it("a pod takes connections until load balancers know that it ends, and drains before it is killed", () => {
    const { terminationGracePeriodSeconds = 0 } = deployment?.template.spec ?? {}
    const waitSeconds = container?.lifecycle?.preStop?.sleep?.seconds ?? 0
    const readiness = container?.readinessProbe
    expect(waitSeconds).toBeGreaterThanOrEqual(readiness?.periodSeconds ?? Number.NaN)
    const drainSeconds = terminationGracePeriodSeconds - waitSeconds
    expect(drainSeconds * 1000).toBeGreaterThan(limits.drainTimeoutMillis)
    expect(read("docs/operations.md")).toContain(`Give it ${drainSeconds} s before SIGKILL`)
  })

  it("a deploy replaces one pod after the other and never has fewer than before", () => {
    expect(deployment?.replicas).toBeGreaterThan(1)
    expect(deployment?.strategy).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    })
  })

  it("Service, Ingress and ServiceMonitor lead to the port of the pods", () => {
    const service = objectOf<IService>("Service", "corrente")
    expect(
      selects({ matchLabels: service.spec?.selector ?? {} }, deployment?.template.metadata?.labels),
    ).toBe(true)
    expect(service.spec?.ports).toEqual([{ name: "http", port: 80, targetPort: "http" }])
    const [rule] = objectOf<IIngress>("Ingress", "corrente").spec?.rules ?? []
    expect(rule?.http?.paths[0]?.backend.service).toEqual({ name: "corrente", port: { name: "http" } })
    const monitor = objectOf<IServiceMonitor>("ServiceMonitor", "corrente").spec
    const [endpoint] = monitor.endpoints ?? []
    expect(endpoint).toMatchObject({ port: "http", path: "/metrics" })
    // As the base adds it to all of its objects.
    const labels = { "app.kubernetes.io/name": "corrente", ...service.metadata?.labels }
    expect(selects(monitor.selector, labels)).toBe(true)
    const job = labels[monitor.jobLabel as keyof typeof labels]
    expect(read("deploy/prometheus/alerts.yml")).toContain(`up{job="${job}"}`)
  })
})

describe("every pod", () => {
  it("pods have what the restricted standard of Kubernetes asks for, and a read-only root", () => {
    for (const [name, template] of pods) {
      const { securityContext, containers, automountServiceAccountToken, enableServiceLinks, ...spec } =
        template?.spec ?? { containers: [] }
      expect([name, securityContext]).toEqual([
        name,
        expect.objectContaining({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } }),
      ])
      expect([name, securityContext?.runAsUser]).toEqual([name, expect.any(Number)])
      expect([name, automountServiceAccountToken, enableServiceLinks]).toEqual([name, false, false])
      expect(Object.keys(spec).filter((key) => key.startsWith("host"))).toEqual([])
      expect(containers.length).toBe(1)
      expect([name, containers[0]?.securityContext]).toEqual([
        name,
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
      ])
    }
    const namespace = objectOf<Manifest>("Namespace", "corrente")
    expect(namespace.metadata.labels).toEqual({ "pod-security.kubernetes.io/enforce": "restricted" })
  })

  it("files of secrets are readable for the pod's group alone", () => {
    for (const [name, template] of pods) {
      const secrets = template?.spec?.volumes?.flatMap(({ secret }) => (secret === undefined ? [] : [secret]))
      expect([name, secrets]).toEqual([name, [expect.objectContaining({ defaultMode: 0o440 })]])
      expect([name, template?.spec?.securityContext?.fsGroup]).toEqual([name, expect.any(Number)])
    }
  })

  it("pods say what they need, and memory has a limit", () => {
    for (const [name, template] of pods) {
      const { requests = {}, limits: most = {} } = template?.spec?.containers[0]?.resources ?? {}
      expect([name, Object.keys(requests).toSorted(), Object.keys(most)]).toEqual([
        name,
        ["cpu", "memory"],
        ["memory"],
      ])
    }
  })

  it("at most one pod of a kind may be evicted at a time, and pods of a kind spread over machines", () => {
    const budgets = objects.filter(
      ({ kind }) => kind === "PodDisruptionBudget",
    ) as ReadonlyArray<IPodDisruptionBudget>
    for (const [name, template] of pods) {
      const labels = template?.metadata?.labels
      const own = budgets.filter(({ spec }) => selects(spec?.selector, labels))
      expect([name, own.map(({ spec }) => spec?.maxUnavailable)]).toEqual([name, [1]])
      const { topologySpreadConstraints = [], affinity } = template?.spec ?? {}
      const apart = [
        ...(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
        ...topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule"),
      ].filter(({ topologyKey }) => topologyKey === "kubernetes.io/hostname")
      expect([name, apart.map(({ labelSelector }) => selects(labelSelector, labels))]).toEqual([name, [true]])
    }
  })

  it("network policies hold every pod in both directions, and open the ports of its containers", () => {
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy") as ReadonlyArray<INetworkPolicy>
    for (const [name, template] of pods) {
      const own = policies.filter(({ spec }) => selects(spec?.podSelector, template?.metadata?.labels))
      const types = new Set(own.flatMap(({ spec }) => spec?.policyTypes ?? []))
      expect([name, types]).toEqual([name, new Set(["Ingress", "Egress"])])
      const [port] = template?.spec?.containers[0]?.ports ?? []
      const open = own.flatMap(({ spec }) => spec?.ingress ?? []).flatMap(({ ports = [] }) => ports)
      const numbers = open.map(({ port: numberOrName }) => numberOrName)
      expect([name, numbers.some((open) => open === port?.name || open === port?.containerPort)]).toEqual([
        name,
        true,
      ])
      const left = own.flatMap(({ spec }) => spec?.egress ?? []).flatMap(({ ports = [] }) => ports)
      expect([name, left.map(({ port: number }) => number)]).toEqual([
        name,
        expect.arrayContaining([53, 6379, 26_379]),
      ])
    }
  })
})

describe("Redis of the kit", () => {
  it("images are those of the compose file, pinned by version and digest, or the service's own", () => {
    const images = pods.map(([name, template]) => [name, template?.spec?.containers[0]?.image])
    const { image } = composeService("redis")
    expect(Object.fromEntries(images)).toEqual({ service: "corrente", servers: image, sentinels: image })
  })

  it("pods run the scripts of the compose file, with the names under which they reach each other", () => {
    const scripts = configMaps.get("redis") ?? {}
    for (const [spec, script] of [
      [servers, "start-redis.sh"],
      [sentinels, "start-sentinel.sh"],
    ] as const) {
      const [pod] = spec?.template.spec?.containers ?? []
      expect(pod?.command).toEqual(["/bin/sh", `/etc/corrente/${script}`])
      expect(pod?.command).toEqual(
        composeService(script === "start-redis.sh" ? "redis" : "sentinel-1").command,
      )
      expect(scripts[script]).toBe(readFileSync(join(kitFolder, "redis", script), "utf8"))
    }
    const hosts = Array.from({ length: servers?.replicas ?? 0 }, (_, index) => `redis-${index}.redis:6379`)
    expect(scripts.REDIS_SERVERS).toBe(hosts.join(" "))
    const variable = (spec: typeof servers, name: string) =>
      spec?.template.spec?.containers[0]?.env?.find((found) => found.name === name)?.value
    expect(variable(servers, "REDIS_SELF")).toBe("$(POD).redis:6379")
    expect(variable(sentinels, "SENTINEL_SELF")).toBe("$(POD).sentinel:26379")
    for (const name of ["redis", "sentinel"]) {
      const { clusterIP, publishNotReadyAddresses } = objectOf<IService>("Service", name).spec ?? {}
      expect([name, clusterIP, publishNotReadyAddresses]).toEqual([name, "None", true])
    }
  })

  it("the guide's REDIS_URL names the Sentinels of the kit", () => {
    const names = Array.from({ length: sentinels?.replicas ?? 0 }, (_, index) => `sentinel-${index}.sentinel`)
    expect(parseRedisUrl(documentedUrl("0a1b2c"))).toMatchObject({
      ...{ kind: "sentinel", masterName: "corrente", password: "0a1b2c", sentinelPassword: "0a1b2c" },
      sentinels: names.map((host) => ({ host, port: 26_379 })),
    })
  })

  it("one server may fail: writes wait for one of two replicas, and two of three Sentinels agree", () => {
    expect(servers?.replicas).toBe(3)
    expect(settings.REDIS_WAIT_REPLICAS).toBe("1")
    expect(sentinels?.replicas).toBe(3)
    expect(configMaps.get("redis")?.["start-sentinel.sh"]).toMatch(/^sentinel monitor corrente .* 2$/m)
  })

  it("no server waits for another to start, none is killed while it loads, and each keeps its volume", () => {
    for (const spec of [servers, sentinels]) {
      expect(spec?.podManagementPolicy).toBe("Parallel")
      const [claim] = spec?.volumeClaimTemplates ?? []
      const mounts = spec?.template.spec?.containers[0]?.volumeMounts ?? []
      expect(mounts.find(({ name }) => name === claim?.metadata?.name)?.mountPath).toBe("/data")
    }
    const [server] = servers?.template.spec?.containers ?? []
    expect([server?.livenessProbe, server?.startupProbe]).toEqual([undefined, undefined])
    expect(server?.readinessProbe?.exec?.command).toEqual(["/bin/sh", "/etc/corrente/is-ready.sh"])
  })
})

it("every kustomization of the kit is one of the example's, and the guide names it", () => {
  const { resources, components } = parse(readFileSync(join(kitFolder, "example/kustomization.yml"), "utf8"))
  const used = [...resources, ...components].flatMap((path: string) =>
    path.startsWith("../") ? [path.slice(3)] : [],
  )
  expect(used).toEqual(["base", "redis", "ingress", "monitoring"])
  for (const name of [...used, "example"]) expect(guide).toContain(`\`${name}/\``)
})
