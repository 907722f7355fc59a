/**
 * A volume of files as a kubelet makes it: the files lie in a folder named by the time, `..data` leads there, and
 * each name leads through `..data`; so one rename shows all the new content at once.
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
import type { VolumeFile } from '../../ports/index.ts'

const DATA = '..data'

interface Content {
  files: readonly VolumeFile[]
  /** Milliseconds since the epoch. */
  now: number
  /** May read all files, where given. */
  group: number | undefined
}

/** `..2026_11_15_06_00_00.123456789` */
const folderName = (folder: string, now: number): string => {
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
    // After the content, for the mode at creation is cut by the mask of this process.
    chmodSync(file, group === undefined ? mode : mode | 0o440)
  }
}

/** The names that users see: the first parts of the paths. */
const topNames = (files: readonly VolumeFile[]): Set<string> =>
  new Set(files.map(({ path }) => path.split('/').find((part) => part !== '')!))

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** Makes the folder show just these files, from one moment to the next. */
export const writeFileVolume = (folder: string, content: Content): void => {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const data = join(folder, DATA)
  const before = isLink(data) ? readlinkSync(data) : undefined
  const fresh = folderName(folder, content.now)
  const link = join(folder, '..data_tmp')
  try {
    mkdirSync(join(folder, fresh), { mode: 0o755 })
    writeFiles(join(folder, fresh), content)
    symlinkSync(fresh, link)
    renameSync(link, data)
  } catch (error) {
    // As on a full disk: the next try must find nothing of this one.
    for (const path of [link, join(folder, fresh)]) rmSync(path, { recursive: true, force: true })
    throw error
  }
  const names = topNames(content.files)
  for (const name of names) if (!isLink(join(folder, name))) symlinkSync(join(DATA, name), join(folder, name))
  for (const name of readdirSync(folder))
    if (!name.startsWith('..') && !names.has(name)) unlinkSync(join(folder, name))
  if (before !== undefined) rmSync(join(folder, before), { recursive: true, force: true })
}
