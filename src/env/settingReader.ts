import { Redacted, Result, Schema } from "effect"
import type { SettingKind } from "./settingKinds.ts"

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
 * (docs/decisions/0060-settings-reader.md). Each problem is one or two sentences: the setting, its value (never a
 * secret's) and what to do.
 */
export class SettingReader {
  readonly problems: Array<string> = []
  readonly #environment: Environment

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

  /** A secret setting: its value is never shown. */
  secret<A>(name: string, kind: SettingKind<A>, fix: string): Redacted.Redacted<A> | undefined {
    const text = this.textOf(name)
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
