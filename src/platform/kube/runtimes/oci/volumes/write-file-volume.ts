/**
 * Writes a volume of files as the kubelet's atomic writer does: the files are in a timestamped folder, `..data` links to
 * it, and each name links through `..data`, so that one rename replaces the whole content.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { VolumeFile } from '#platform/kube/ports'

const DATA = '..data'

interface Content {
  files: readonly VolumeFile[]
  /** Milliseconds since the epoch. */
  now: number
  /** If set, this group may read all files. */
  group: number | undefined
}

/** Returns an unused name such as `..2026_11_15_06_00_00.123456789`. */
const unusedFolderName = (folder: string, now: number): string => {
  const time = new Date(now).toISOString().slice(0, 19).replace(/[-T:]/g, '_')
  for (let count = (now % 1000) * 1_000_000; ; count += 1) {
    const name = `..${time}.${String(count).padStart(9, '0')}`
    if (!existsSync(join(folder, name))) return name
  }
}

const writeFiles = (folder: string, { files, group }: Content): void => {
  for (const { path, mode, content } of files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    writeFileSync(file, content())
    if (group !== undefined) chownSync(file, 0, group)
    // Set afterwards, because the umask applies to the mode at creation.
    chmodSync(file, group === undefined ? mode : mode | 0o440)
  }
}

/** The visible names: the first components of the paths. */
const topNames = (files: readonly VolumeFile[]): Set<string> =>
  new Set(files.map(({ path }) => path.split('/').find((part) => part !== '')!))

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** Replaces the content of the folder atomically. */
export const writeFileVolume = (folder: string, content: Content): void => {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const data = join(folder, DATA)
  const oldFolder = isLink(data) ? readlinkSync(data) : undefined
  const newFolder = unusedFolderName(folder, content.now)
  const link = join(folder, '..data_tmp')
  try {
    mkdirSync(join(folder, newFolder), { mode: 0o755 })
    writeFiles(join(folder, newFolder), content)
    symlinkSync(newFolder, link)
    renameSync(link, data)
  } catch (error) {
    // Writing can fail, for example on a full disk. The next attempt must find no leftovers.
    for (const path of [link, join(folder, newFolder)]) rmSync(path, { recursive: true, force: true })
    throw error
  }
  const names = topNames(content.files)
  for (const name of names) if (!isLink(join(folder, name))) symlinkSync(join(DATA, name), join(folder, name))
  for (const name of readdirSync(folder))
    if (!name.startsWith('..') && !names.has(name)) unlinkSync(join(folder, name))
  if (oldFolder !== undefined) rmSync(join(folder, oldFolder), { recursive: true, force: true })
}
