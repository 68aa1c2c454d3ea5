import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs"
import { dirname, join, relative } from "node:path"
import { type Build, currentFolder, stampOf } from "./builds.mjs"

const draftPrefix = "draft-"
const dayMillis = 24 * 60 * 60 * 1000

/** Makes the link lead to a folder, at once for whoever follows it. */
const pointLink = (link: string, folder: string): void => {
  const draft = `${link}.${process.pid}`
  symlinkSync(relative(dirname(link), folder), draft)
  renameSync(draft, link)
}

/** Removes builds and drafts, except `kept`, that are older than a day. */
const removeOld = (folder: string, kept: ReadonlyArray<string | undefined>): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (!kept.includes(path) && age > dayMillis) rmSync(path, { recursive: true, force: true })
  }
}

/**
 * Makes the link of a build lead to the folder of its sources, which `make` fills unless it is there. Any number may run at the
 * same time: each fills a folder of its own, which takes its name when it is whole. Fails if `make` does.
 */
export const keepBuild = async (
  build: Build,
  make: (draft: string) => Promise<void>,
): Promise<{ readonly folder: string; readonly isNew: boolean }> => {
  const folder = join(build.folder, stampOf(build))
  const isNew = !existsSync(folder)
  if (isNew) {
    mkdirSync(build.folder, { recursive: true })
    const draft = mkdtempSync(join(build.folder, draftPrefix))
    try {
      await make(draft)
      // What mkdtemp makes is for its owner alone; an image is built by root and run by another user.
      chmodSync(draft, 0o755)
      renameSync(draft, folder)
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      // Another process was faster.
      if (!existsSync(folder)) throw error
    }
  }
  const before = currentFolder(build)
  if (before !== folder) pointLink(build.link, folder)
  // A service that was started before may load more of its own.
  if (isNew) removeOld(build.folder, [folder, before])
  return { folder, isNew }
}
