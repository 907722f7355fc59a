/** Lists the files that a container can change, in the mounts of its main process. */
import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { defined } from '#kit'
import type { ContainerInspection, FileState } from '#spec'
import { listMounts, type Mount } from './list-mounts.ts'
import { ownerAndModeOf, ownerOf } from './owner-and-mode.ts'
import { readMountedFiles } from './read-mounted-files.ts'

type Files = Omit<ContainerInspection, 'id' | 'name' | 'processes'>

/** File systems that contain no data. */
const SYSTEM_TYPES: readonly string[] = [
  ...['proc', 'sysfs', 'cgroup', 'cgroup2', 'devpts', 'mqueue', 'securityfs', 'debugfs', 'tracefs', 'bpf'],
]
/** Containers with more entries are not compared file by file. */
const MAX_ENTRIES = 5000
/** The unit of `blocks` in stat(2), independent of the filesystem. */
const BLOCK_BYTES = 512
/** The bits of the mode that permit execution. */
const EXECUTABLE = 0o111
/** Follows the path of an open file that has no name any more. */
const UNLINKED = ' (deleted)'

/** Pods can remove files while they are listed, and a mount can be a single file. */
const orUndefined = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Undefined also if a part of the path is not a folder. */
const lookUp = (path: string): Stats | undefined =>
  orUndefined(() => lstatSync(path, { throwIfNoEntry: false }))

/** An overlay marks a deleted file of a lower layer by a device without a number. */
const isDeletionMark = (stats: Stats): boolean => stats.isCharacterDevice() && stats.rdev === 0

const hasOtherType = (stats: Stats, image: Stats): boolean =>
  stats.isFile() !== image.isFile() ||
  stats.isDirectory() !== image.isDirectory() ||
  stats.isSymbolicLink() !== image.isSymbolicLink()

/** An entry in the upper layer of an overlay, or the one below it in the image. */
interface Entry {
  readonly path: string
  readonly stats: Stats
}

/** Also true for a file that could not be read. A program that only opens a file for writing copies it to the upper layer. */
const hasOtherContent = (now: Entry, image: Entry): boolean =>
  now.stats.size !== image.stats.size ||
  orUndefined(() => readFileSync(now.path).equals(readFileSync(image.path))) !== true

/** Whether an entry in the upper layer is a change of one of the image. Programs write to files of their own only. */
const isHarmed = (now: Entry, image: Entry): boolean => {
  const [stats, former] = [now.stats, image.stats]
  if (hasOtherType(stats, former) || ownerAndModeOf(stats) !== ownerAndModeOf(former)) return true
  if (stats.isDirectory()) return false
  return !stats.isFile() || (former.mode & EXECUTABLE) !== 0 || hasOtherContent(now, image)
}

/** The paths of the files that processes have open; those without a name any more end with a mark. */
const listOpenFiles = (pids: readonly number[]): ReadonlySet<string> => {
  const links = pids.flatMap((pid) => {
    const folder = `/proc/${pid}/fd`
    return (orUndefined(() => readdirSync(folder)) ?? []).flatMap(
      (name) => orUndefined(() => readlinkSync(`${folder}/${name}`)) ?? [],
    )
  })
  return new Set(links.filter((link) => link.startsWith('/')))
}

class FileList {
  readonly files = new Map<string, FileState>()
  readonly deletedFiles: string[] = []
  readonly changedFiles: string[] = []
  readonly folders = new Map<string, string>()
  usedBytes = 0
  entries = 0
  readonly #openFiles: ReadonlySet<string>
  /** The paths of all mounts; each one is listed on its own. */
  readonly #mounted: ReadonlySet<string>

  constructor(openFiles: ReadonlySet<string>, mounted: ReadonlySet<string>) {
    this.#openFiles = openFiles
    this.#mounted = mounted
  }

  get isTooLong(): boolean {
    return this.entries > MAX_ENTRIES
  }

  /** Adds the folder with all that is in it, except other mounts. */
  add({ folder, path, imageFolders }: Pick<Mount, 'folder' | 'path' | 'imageFolders'>): void {
    const own = lookUp(folder)
    if (own?.isDirectory() === true) this.folders.set(path, ownerAndModeOf(own))
    for (const entry of orUndefined(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      if (this.isTooLong) return
      this.entries += 1
      const name = `/${entry.name}`
      const inside = {
        folder: folder + name,
        path: path === '/' ? name : path + name,
        imageFolders: imageFolders.map((image) => image + name),
      }
      if (this.#mounted.has(inside.path)) continue
      this.#addEntry(entry, inside)
      if (entry.isDirectory()) this.add(inside)
    }
  }

  #addEntry(entry: Dirent, { folder, path, imageFolders }: Parameters<FileList['add']>[0]): void {
    if (entry.isDirectory() && imageFolders.length === 0) return
    const stats = lookUp(folder)
    if (stats === undefined) return
    if (isDeletionMark(stats)) {
      this.deletedFiles.push(path)
      return
    }
    this.#compareWithImage({ path: folder, stats }, path, imageFolders)
    if (!stats.isFile()) return
    this.usedBytes += stats.blocks * BLOCK_BYTES
    const { ino: inode, size, mode, mtimeMs: modifiedAt } = stats
    if (size === 0) return
    const [allocatedBytes, isOpen] = [stats.blocks * BLOCK_BYTES, this.#openFiles.has(path)]
    this.files.set(path, {
      ...{ inode, size, allocatedBytes, mode, modifiedAt, isOpen },
      owner: ownerOf(stats),
    })
  }

  #compareWithImage(now: Entry, path: string, imageFolders: readonly string[]): void {
    for (const image of imageFolders) {
      const former = lookUp(image)
      if (former === undefined) continue
      if (!isDeletionMark(former) && isHarmed(now, { path: image, stats: former }))
        this.changedFiles.push(path)
      return
    }
  }
}

/** `pid`: the main process. `pids`: all processes that write files of their own. */
export const listFiles = (pid: number, pids: readonly number[] = [pid]): Files => {
  const mounts = orUndefined(() => listMounts(pid)) ?? []
  const mounted = defined({ mountedFiles: mounts.length > 0 ? readMountedFiles(pid, mounts) : undefined })
  // A fault on files mounts its own file system over them.
  if (mounts.some(({ type }) => type.startsWith('fuse')))
    return { deletedFiles: [], usedBytes: 0, ...mounted }
  const openFiles = listOpenFiles(pids)
  const list = new FileList(openFiles, new Set(mounts.map(({ path }) => path)))
  for (const mount of mounts) if (!mount.isReadOnly && !SYSTEM_TYPES.includes(mount.type)) list.add(mount)
  const isComplete = mounts.length > 0 && !list.isTooLong
  const files = [...list.files].sort(([one], [other]) => (one < other ? -1 : 1))
  const unlinked = [...openFiles].filter((path) => path.endsWith(UNLINKED))
  return {
    ...(isComplete
      ? {
          files: files.map(([path]) => path),
          fileStates: files.map(([, state]) => state),
          folders: Object.fromEntries(list.folders),
        }
      : {}),
    ...defined({ hasTooManyFiles: list.isTooLong ? true : undefined }),
    deletedFiles: list.deletedFiles.sort(),
    changedFiles: list.changedFiles.sort(),
    unlinkedFiles: unlinked.map((path) => path.slice(0, -UNLINKED.length)).sort(),
    usedBytes: list.usedBytes,
    ...mounted,
  }
}
