import { readFileSync, statSync } from "node:fs"
import { Redacted, Result, Schema } from "effect"
import type { SettingKind } from "./settingKinds.ts"

/** No secret is longer: a path to something else is not read whole. */
const bytesMax = 64 * 1024

/**
 * The text of a file that holds a secret, without whitespace around it, as an editor's last line break. Fails with what is wrong
 * about the file, to stand behind its name.
 */
const readSecretFile = (path: string): Result.Result<string, string> => {
  try {
    const file = statSync(path)
    // Each process reads it, and each one again after a restart: a pipe has nothing left for the second.
    if (!file.isFile()) return Result.fail("is not a regular file")
    if (file.size > bytesMax) return Result.fail(`is longer than ${bytesMax / 1024} KiB`)
    const text = readFileSync(path, "utf8").trim()
    return text === "" ? Result.fail("is empty") : Result.succeed(text)
  } catch (error) {
    return Result.fail(`cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
  }
}

/** Environment variables. Absent and empty both mean "not set": Compose passes unset ones as empty. */
export type Environment = Readonly<Record<string, string | undefined>>

const shownLengthMax = 80

/** A value as errors show it: without a password, and shortened to one line. */
const shown = (value: string): string => {
  const withoutPassword = value.replace(/\/\/[^/@]*@/g, "//***@")
  const cut =
    withoutPassword.length > shownLengthMax
      ? `${withoutPassword.slice(0, shownLengthMax)}...`
      : withoutPassword
  return JSON.stringify(cut)
}

/**
 * Reads settings one by one and collects their problems, so that a user sees all mistakes at once
 * (docs/dependencies.md#without-a-package). Each problem is one or two sentences: the setting, its value (never a
 * secret's) and what to do.
 */
export class SettingReader {
  readonly problems: Array<string> = []
  readonly #environment: Environment
  /** The texts of secret settings that were read: a file is read once, and its problem told once. */
  readonly #secretTexts = new Map<string, string | undefined>()

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** The setting's text; undefined if it is not set. */
  textOf(name: string): string | undefined {
    const text = this.#environment[name]?.trim()
    return text === "" ? undefined : text
  }

  /** The setting; undefined if it is not set or wrong. `fix` says how to correct a wrong one. */
  optional<A>(name: string, kind: SettingKind<A>, fix: string): A | undefined {
    const text = this.textOf(name)
    if (text === undefined) return undefined
    const result = Schema.decodeUnknownResult(kind.codec)(text)
    if (Result.isSuccess(result)) return result.success
    this.problems.push(`${name} is ${shown(text)}, but must be ${kind.mustBe}. ${fix}`)
    return undefined
  }

  /** The setting; `fallback` if it is not set or wrong. */
  value<A>(name: string, kind: SettingKind<A>, fallback: A, fix: string): A {
    return this.optional(name, kind, fix) ?? fallback
  }

  /** Whether a secret setting is set, by itself or by a file. */
  isSecretSet(name: string): boolean {
    return this.textOf(name) !== undefined || this.textOf(`${name}_FILE`) !== undefined
  }

  /** The text of a secret setting: its own, or that of the file that `<name>_FILE` names. */
  #secretTextOf(name: string): string | undefined {
    if (this.#secretTexts.has(name)) return this.#secretTexts.get(name)
    const path = this.textOf(`${name}_FILE`)
    const text = path === undefined ? this.textOf(name) : this.#fileText(name, path)
    this.#secretTexts.set(name, text)
    return text
  }

  #fileText(name: string, path: string): string | undefined {
    if (this.textOf(name) !== undefined) {
      this.problems.push(`${name} and ${name}_FILE are both set. Leave one of them out.`)
      return undefined
    }
    const read = readSecretFile(path)
    if (Result.isSuccess(read)) return read.success
    this.problems.push(
      `${name}_FILE ${shown(path)} ${read.failure}. Point it at a file that this user may read and that holds nothing but the value of ${name}.`,
    )
    return undefined
  }

  /**
   * A secret setting, which may also stand in a file that `<name>_FILE` names, as secrets of containers do: its value is never
   * shown. Both set is a problem, and so is a file that cannot be read or is empty.
   */
  secret<A>(name: string, kind: SettingKind<A>, fix: string): Redacted.Redacted<A> | undefined {
    const text = this.#secretTextOf(name)
    if (text === undefined) return undefined
    const result = Schema.decodeUnknownResult(kind.codec)(text)
    if (Result.isSuccess(result)) return Redacted.make(result.success)
    this.problems.push(`${name} (value not shown) must be ${kind.mustBe}. ${fix}`)
    return undefined
  }

  /** Adds a problem that involves several settings or the environment outside. */
  refuse(problem: string): void {
    this.problems.push(problem)
  }
}
