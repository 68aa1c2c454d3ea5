import { FileSystem, Layer, Path, Stdio, Terminal } from "effect"
import { CliConfig, GlobalFlag } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"

/** The platform that the CLI module's types require. Only parameters that prompt or read files would use it; there are none. */
const PlatformLive = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Stdio.layerTest({}),
  Layer.mock(Terminal.Terminal, { "~effect/Terminal": "~effect/Terminal" }),
  Layer.mock(ChildProcessSpawner.ChildProcessSpawner, {}),
)

/** What the CLI module needs to run our commands. */
export const CliLive = Layer.merge(
  PlatformLive,
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
)
