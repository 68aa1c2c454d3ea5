import { type ChildProcessByStdio, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { Effect } from "effect"
import { generateSync } from "otplib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../src/start/ownRedis/redisChild.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { openPixShop, type PixShop } from "../e2e/support/pixKeys.ts"
import { openStage, type Stage } from "../e2e/support/stage.ts"
import { withdraw } from "../e2e/support/withdrawals.ts"
import { root } from "../layout/documents.ts"
import { cheapPasswords } from "../support/cheapPasswords.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { loadingCache } from "../support/loadingCache.ts"
import { commandsOf, Reader, shellBlocks } from "./reader.ts"
import { blocksOf } from "./section.ts"

/** Sections whose commands another test runs as they stand. */
const ranBy: ReadonlyArray<readonly [page: string, anchor: string, test: string]> = [
  ["docs/guide.md", "in-ten-minutes", "test/docs/tenMinutes.test.ts"],
  ["docs/operations.md", "morning-routine", "test/docs/morningRoutine.test.ts"],
  ["docs/operations.md", "what-stays", "test/docs/whatStays.test.ts"],
  ["docs/partner.md", "trying-a-banks-sandbox", "test/docs/bankChecklist.test.ts"],
]

/** Blocks that no test runs as they stand, and why. */
const excuses: Readonly<Record<string, string>> = {
  "README.md#start 1":
    "npm start serves until Ctrl-C (test/processes and test/e2e start it), and npm test is what runs here",
  "CONTRIBUTING.md#set-up 1":
    "npm run demo is played by test/e2e/demo.test.ts, and npm start serves until Ctrl-C",
  "CONTRIBUTING.md#the-fast-loop 1": "the tests themselves; .ci/run runs the check before them",
  "CONTRIBUTING.md#pages 1": "servers that run until Ctrl-C; test/web builds the pages",
  "client/README.md#correnteclient 1":
    "installs into a project of the reader's; test/client compiles and imports the package",
  "docs/benchmarks.md#benchmarks 1": "minutes each; test/bench runs every suite in its small size",
  "docs/cli.md#listen 1": "the README's `listen` with a filter, which test/cli/listen.test.ts plays",
  "docs/deployment.md#image 1":
    "needs Docker; test/deploy/deploy.test.ts compares the image with the repository",
  "docs/deployment.md#docker-compose 1":
    "needs Docker; test/deploy/compose.test.ts reads what Compose would start, and starts its Redis",
  "docs/deployment.md#pinned-images 1":
    "asks registries; test/deploy/compose.test.ts holds images to the form",
  "docs/deployment.md#builds 1": "would take away the packages that the tests run on",
  "docs/deployment.md#kubernetes 1":
    "needs a cluster; test/deploy/kubernetes.test.ts compares the manifests with the secrets that it makes",
  "docs/deployment.md#redis-with-sentinels 1":
    "needs Docker; test/faults/redisSet.test.ts runs the scripts of its containers",
  "docs/deployment.md#redis-with-sentinels 2":
    "needs a cluster; test/faults/redisSet.test.ts sends the same commands",
  "docs/deployment.md#monitoring 1": "needs Docker; test/deploy reads what Compose would start",
  "docs/guide.md#1-start-and-get-a-key 1":
    "npm start serves until Ctrl-C; the seller is made by the block that begins the page",
  "docs/guide.md#4-receive-webhooks 1": "the README's `listen`, which is run here",
  "docs/guide.md#4-receive-webhooks 2": "the README's `trigger`, which is run here",
  "docs/guide.md#withdrawals 2":
    "needs an operator's session; test/e2e/withdrawalOperators.test.ts decides by the same routes",
  "docs/operations.md#moving-a-partition 1": "needs a Redis Cluster; test/ops/partition.test.ts has one",
  "docs/operations.md#backups 1":
    "writes outside of the test's folders; test/ops/backup.test.ts makes backups",
  "docs/operations.md#restoring 1": "stops and replaces the service's Redis; test/ops/backup.test.ts does",
  "docs/partner.md#unreadable-items 1":
    "needs a bank whose books cannot be read; test/ops/sweep.test.ts has one",
  "docs/promises.md#what-holds-them 1": "half an hour; test/faults plays short runs of the same faults",
  "docs/security.md#lockfile-hashes 1": "asks the registry about every package",
  "docs/testing.md#testing 1": "the tests themselves",
  "docs/testing.md#testing 2": "the tests themselves",
  "docs/testing.md#answers-and-the-document 1":
    "minutes of tests, whose answers are held to the document anyway",
}

let stage: Stage
let shop: PixShop
let cookie: string
let scratch: string
let people = 0
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "reader-"))
  // Nothing is paid by itself: the commands decide.
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000" })
  shop = await openPixShop(stage)
  cookie = (await signInAsSeller(stage.service, shop.seller.id)).cookie
})
afterAll(async () => {
  await stage?.close()
  if (scratch !== undefined) rmSync(scratch, { recursive: true })
})

/** A reader of this service; `cwd` is the repository where commands are npm's, and a scratch folder otherwise. */
const reader = (cwd = scratch): Reader => {
  people += 1
  const environment = {
    ...cheapPasswords,
    KEY: shop.seller.keys.test,
    CORRENTE_API_KEY: shop.seller.keys.test,
    REDIS_URL: stage.service.redisUrl,
    ENCRYPTION_KEY: Buffer.from(stage.service.encryptionKey).toString("base64"),
    WEBHOOK_ALLOW_DESTINATIONS: "https://localhost:8443",
  }
  const own = [
    ["localhost:3000", new URL(stage.service.url).host],
    [/\b(ana|bia|ops)@example\.com/g, `$1.${people}@example.com`],
    // A name that resolves without a network.
    ["https://example.com/", "https://localhost:8443/"],
    // A stream has no end of its own.
    [/^curl -N (.+)$/gm, "curl -sN --max-time 2 $1 || [ $? = 28 ]"],
    ["$(cat .data/redis/address)", stage.service.redisUrl],
  ] as const
  return new Reader(environment, own, cwd)
    .knows("sel_…", shop.seller.id)
    .knows("sk_test_…", shop.seller.keys.test)
}

const pay = async (request: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const { id } = await makeCharge(shop.seller.test, request)
  const { status } = await shop.seller.test.post(`/v1/test/transactions/${id}/pay`)
  if (status !== 200) throw new Error(`${id} was not paid`)
  return id
}

const textOf = (name: string): string => {
  const found = shellBlocks.find((block) => block.name === name)
  if (found === undefined) throw new Error(`there is no block ${name}`)
  return found.text
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** Starts a command of a document that goes on until it is ended; `says` waits for a line of it. */
const startCommand = (command: string, env: Readonly<Record<string, string>>) => {
  const child: Child = spawn("bash", ["--norc", "-c", command.replace(/ &$/, "")], {
    cwd: root,
    env: { PATH: process.env.PATH, ...loadingCache, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  let said = ""
  const says = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(said)
        if (found !== null) resolve(found[0])
      }
      for (const stream of [child.stdout, child.stderr]) stream.on("data", look)
      child.once("close", (code) => reject(new Error(`${command} ended with ${code}: ${said}`)))
      look()
    })
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      said += chunk
    })
  const end = () =>
    new Promise<void>((resolve, reject) => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve()
      child.once("close", () => resolve())
      try {
        process.kill(-child.pid, "SIGTERM")
      } catch (error) {
        // One that has just ended by itself is about to be closed.
        if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) reject(error)
      }
    })
  return { says, end }
}

/** What is run here, by block. */
const here: Readonly<Record<string, () => Promise<unknown>>> = {
  "README.md#first-charge 1": async () => {
    const printed = await reader(root).follow(textOf("README.md#first-charge 1"))
    expect(printed.at(-1)?.stdout).toContain('"qr_base64":"')
  },
  "README.md#follow-the-events 1": async () => {
    const [stream] = await reader().follow(textOf("README.md#follow-the-events 1"))
    expect(stream?.stdout).toContain("event: ready")
  },
  "README.md#receive-webhooks 1": async () => {
    const [listen = "", receive = "", trigger = "", ...more] = commandsOf(
      textOf("README.md#receive-webhooks 1"),
    )
    expect(more).toEqual([])
    const port = String(await Effect.runPromise(freePort))
    const env = {
      CORRENTE_BASE_URL: stage.service.url,
      CORRENTE_API_KEY: shop.seller.keys.test,
      PORT: port,
      EVENTS_FILE: join(scratch, "events.jsonl"),
    }
    const started = [startCommand(listen.replace(":4000", `:${port}`), env), startCommand(receive, env)]
    const [listener, receiver] = started
    try {
      await Promise.all([listener?.says(/Signing secret/), receiver?.says(/Receiving on port/)])
      const triggering = startCommand(trigger, env)
      started.push(triggering)
      const [, id = ""] = (await triggering.says(/txn_\w+/)).split(/(?=txn_)/)
      // The receiver prints what it has verified, and nothing else.
      await receiver?.says(new RegExp(`transaction\\.paid ${id}`))
    } finally {
      for (const { end } of started) await end()
    }
  },
  "README.md#receive-webhooks 2": () => reader(root).follow(textOf("README.md#receive-webhooks 2")),
  "docs/accounts.md#try-it 1": async () => {
    const jar = join(scratch, "jar")
    const text = textOf("docs/accounts.md#try-it 1").replaceAll(/(-[bc]) jar /g, `$1 ${jar} `)
    const [operator, invite, ...calls] = commandsOf(text)
    const person = reader(root)
    await person.follow([operator, invite].join("\n"))
    for (const call of calls) {
      // What the command of the page would print: it need not be installed here.
      const own = call.replace(/\$\(oathtool --totp -b SECRET\)/, () => {
        const secret = /-b (\w+)/.exec(person.fill("oathtool --totp -b SECRET"))?.[1] ?? ""
        return generateSync({ secret })
      })
      await person.follow(own)
    }
  },
  "docs/guide.md#guide 1": () => reader(root).follow(textOf("docs/guide.md#guide 1")),
  "docs/guide.md#events 1": async () => {
    const [stream] = await reader().follow(textOf("docs/guide.md#events 1"))
    expect(stream?.stdout).toContain("event: ready")
  },
  "docs/guide.md#webhooks 1": () => reader(root).follow(textOf("docs/guide.md#webhooks 1")),
  "docs/guide.md#withdrawals 1": async () => {
    await pay({ amount: 50_000 })
    const { id } = await shop.test.register()
    const printed = await reader().knows("pk_…", id).follow(textOf("docs/guide.md#withdrawals 1"))
    expect(printed.map(({ stdout }) => JSON.parse(stdout).status)).toEqual([
      "awaiting",
      "awaiting",
      "cancelled",
      undefined,
    ])
  },
  "docs/guide.md#refunds 1": async () => {
    const charge = await pay()
    const printed = await reader().knows("txn_…", charge).follow(textOf("docs/guide.md#refunds 1"))
    expect(JSON.parse(printed.at(-1)?.stdout ?? "").data).toHaveLength(2)
  },
  "docs/guide.md#pix-keys 1": async () => {
    const block = textOf("docs/guide.md#pix-keys 1").replaceAll("-b jar", `-b '${cookie}'`)
    const printed = await reader().follow(block)
    expect(printed).toHaveLength(3)
  },
  "docs/guide.md#balance-and-ledger 1": async () => {
    const [balance] = await reader().follow(textOf("docs/guide.md#balance-and-ledger 1"))
    expect(JSON.parse(balance?.stdout ?? "")).toMatchObject({ object: "balance", mode: "test" })
  },
  "docs/guide.md#balance-and-ledger 2": async () => {
    await reader().follow(textOf("docs/guide.md#balance-and-ledger 2"))
    expect(readdirSync(scratch).filter((name) => name.endsWith(".csv"))).toHaveLength(1)
  },
  "docs/guide.md#test-controls 1": async () => {
    const refunded = await pay({ amount: 50_000 })
    const refund = await shop.seller.test.post<{ readonly id: string }>(
      `/v1/transactions/${refunded}/refunds`,
      {
        body: { amount: 500 },
        headers: { "Idempotency-Key": "test-controls" },
      },
    )
    const { id: pixKey } = await shop.test.register()
    const { id: withdrawal } = await withdraw(shop.seller.test, pixKey, 1_000)
    const { id: charge } = await makeCharge(shop.seller.test)
    const person = reader().knows("txn_…", charge).knows("wd_…", withdrawal).knows("rfd_…", refund.body.id)
    const printed = await person.follow(textOf("docs/guide.md#test-controls 1"))
    expect(printed).toHaveLength(4)
  },
  "docs/operations.md#commands-for-operators 1": () =>
    reader(root).follow(textOf("docs/operations.md#commands-for-operators 1")),
  "docs/operations.md#exporting-audit-logs 1": async () => {
    const block = textOf("docs/operations.md#exporting-audit-logs 1").replace(/> \S+/, "")
    const [printed] = await reader(root).follow(block)
    expect(printed?.stdout).toMatch(/^id,created_at,operator_id,/)
  },
  "docs/operations.md#erasing-a-customer 1": () =>
    reader(root).follow(textOf("docs/operations.md#erasing-a-customer 1")),
  "docs/operations.md#redis-cli-runbook 1": async () => {
    const printed = await reader(root).follow(textOf("docs/operations.md#redis-cli-runbook 1"))
    expect(printed.at(-1)?.stdout).toContain(shop.seller.id)
  },
  "docs/redis-keys.md#names 1": async () => {
    const [key, address] = await reader().follow(textOf("docs/redis-keys.md#names 1"))
    expect(key?.stdout).toMatch(/^[\w-]{43}\n$/)
    expect(address?.stdout).toMatch(/^[0-9a-f]{64}\b/)
  },
}

describe("commands of the documents", () => {
  it("every block of shell commands is run by a test, or excused with a reason", () => {
    const elsewhere = ranBy.flatMap(([page, anchor, test]) => {
      expect(readFileSync(join(root, test), "utf8")).toContain(`"${page}", "${anchor}"`)
      const texts = new Set(blocksOf(page, anchor))
      const ran = shellBlocks.filter(({ name, text }) => name.startsWith(`${page}#`) && texts.has(text))
      return ran.map(({ name }) => name).filter((name) => !(name in excuses))
    })
    const known = [...new Set(elsewhere), ...Object.keys(excuses), ...Object.keys(here)]
    expect(known.toSorted()).toEqual(shellBlocks.map(({ name }) => name).toSorted())
    expect(shellBlocks.length).toBeGreaterThan(50)
  })

  it("what is not run here names only scripts, files and suites that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const excused = Object.keys(excuses).map(textOf).join("\n")
    const named = (pattern: RegExp) => [...excused.matchAll(pattern)].map(([, name = ""]) => name)
    for (const name of named(/npm run (?:--silent )?([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(name)
    for (const path of named(/(?:^|\s)((?:scripts|test|examples|deploy|\.ci)\/[\w./-]+)/g)) {
      const [, folder = "", start = ""] = /^(.*\/)?([^/]*)$/.exec(path) ?? []
      const isThere =
        existsSync(join(root, path)) || readdirSync(join(root, folder)).some((name) => name.startsWith(start))
      expect([path, isThere]).toEqual([path, true])
    }
    const named2 = named(/bench -- ([a-z][a-z ]*)/g).flatMap((list) => list.trim().split(" "))
    const suites = [...readFileSync(join(root, "bench/suites.ts"), "utf8").matchAll(/^ {2}(\w+): \{/gm)]
    const known = [...suites.map(([, name = ""]) => name), "compare", "previous", "last"]
    for (const suite of named2) expect(known).toContain(suite)
  })

  for (const [name, run] of Object.entries(here)) {
    it(`${name} runs as it stands`, async () => {
      await run()
    })
  }
})
