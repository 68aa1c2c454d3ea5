import { type CommandForm, usageOf, writtenAs } from "./command.ts"

/** What `help` prints of the commands. */
export const helpOf = (commands: ReadonlyArray<CommandForm>) => ({
  usage: "npm run --silent ops -- COMMAND",
  output: "One JSON document on stdout; a failure is the error envelope, with exit code 1.",
  redis: "REDIS_URL, or the Redis that npm start runs for the same DATA_DIR.",
  commands: commands.map((command) => ({
    command: usageOf(command),
    help: command.help,
    parameters: Object.fromEntries(
      Object.entries(command.parameters).map(([name, parameter]) => [
        writtenAs(name, parameter),
        parameter.help,
      ]),
    ),
  })),
})
