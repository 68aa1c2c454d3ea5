import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCommand } from "../support/child.ts"

/** nginx with nchan, as installed on this machine. */
interface NchanInstallation {
  readonly nginx: string
  /** Path of the dynamic module; undefined if it is built in. */
  readonly module: string | undefined
  readonly version: string
}

const moduleName = "ngx_nchan_module.so"

/** nginx from PATH or Debian's place, if it has nchan; otherwise undefined. */
export const findNchan = async (): Promise<NchanInstallation | undefined> => {
  for (const nginx of ["nginx", "/usr/sbin/nginx"]) {
    try {
      // It prints its version to stderr.
      const text = await runCommand("sh", ["-c", '"$0" -V 2>&1', nginx])
      const version = /nginx version: (\S+)/.exec(text)?.[1] ?? "nginx"
      if (/--add-module=\S*nchan/.test(text)) return { nginx, module: undefined, version }
      const folder = /--modules-path=(\S+)/.exec(text)?.[1] ?? "/usr/lib/nginx/modules"
      const module = join(folder, moduleName)
      if (existsSync(module)) return { nginx, module, version }
    } catch {
      // Not installed.
    }
  }
  return undefined
}

interface NchanOptions {
  readonly port: number
  readonly connectionsMax: number
  /** Messages that a channel stores. */
  readonly messagesMax: number
}

/** nginx starts to close waiting connections when fewer than a sixteenth of its connections are free. */
const connectionsSpare = 1.1

const temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]

/**
 * One process, like every contender: with a master process, its worker would outlive a bench that is killed. Messages
 * stay in nchan's own memory, its default and its fastest store; heartbeats come as often as the service's.
 */
const configText = (folder: string, module: string | undefined, options: NchanOptions): string => `
${module === undefined ? "" : `load_module ${module};`}
daemon off;
master_process off;
worker_rlimit_nofile ${options.connectionsMax};
pid ${folder}/nginx.pid;
error_log stderr notice;
events { worker_connections ${Math.ceil(options.connectionsMax * connectionsSpare)}; }
http {
  access_log off;
  ${temporaryPaths.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ")}
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  client_body_buffer_size 64k;
  client_body_in_single_buffer on;
  nchan_shared_memory_size 512M;
  server {
    listen 127.0.0.1:${options.port} backlog=4096;
    location = /events {
      nchan_subscriber eventsource;
      nchan_channel_id $arg_feed;
      nchan_subscriber_first_message newest;
      nchan_eventsource_ping_interval 15;
      nchan_eventsource_ping_comment "ping";
      nchan_eventsource_ping_data "";
      nchan_eventsource_ping_event "";
    }
    location = /publish {
      nchan_publisher;
      nchan_channel_id $arg_feed;
      nchan_message_buffer_length ${options.messagesMax};
      nchan_message_timeout 1h;
    }
  }
}
`

/** Writes nginx.conf into a folder for nginx alone; returns the arguments that run it. */
export const writeNchanConfig = (
  { module }: NchanInstallation,
  folder: string,
  options: NchanOptions,
): ReadonlyArray<string> => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "nginx.conf")
  writeFileSync(file, configText(folder, module, options))
  return ["-p", folder, "-c", file]
}
