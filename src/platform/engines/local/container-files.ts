/** Lists the files that a container can change, in the mounts of its main process. */
import { type Dirent, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { defined } from '#kit'
import type { ContainerInspection, FileState } from '#spec'
import { listMounts, type Mount } from './list-mounts.ts'

type Files = Omit<ContainerInspection, 'id' | 'name' | 'processes'>

/** File systems that contain no data. */
const SYSTEM_TYPES: readonly string[] = [
  ...['proc', 'sysfs', 'cgroup', 'cgroup2', 'devpts', 'mqueue', 'securityfs', 'debugfs', 'tracefs', 'bpf'],
]
/** Containers with more entries are not compared file by file. */
const MAX_ENTRIES = 5000
/** The unit of `blocks` in stat(2), independent of the filesystem. */
const BLOCK_BYTES = 512
/** The bits of the mode that permit execution, and all that permit something. */
const [EXECUTABLE, PERMISSIONS] = [0o111, 0o7777]
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

/**
 * Whether an entry in the upper layer of an overlay is a harmful change of one of the image. Programs add to other files of their image,
 * such as logs, but do not write to executable ones.
 */
const isHarmed = (stats: Stats, image: Stats): boolean => {
  if (hasOtherType(stats, image) || (stats.mode & PERMISSIONS) !== (image.mode & PERMISSIONS)) return true
  if (stats.isDirectory()) return false
  return !stats.isFile() || (image.mode & EXECUTABLE) !== 0 || stats.size < image.size
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

  add({ folder, path, imageFolders }: Pick<Mount, 'folder' | 'path' | 'imageFolders'>): void {
    for (const entry of orUndefined(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      if (this.isTooLong) return
      this.entries += 1
      const name = `/${entry.name}`
      const inside = {
        folder: folder + name,
        path: path === '/' ? name : path + name,
        imageFolders: imageFolders.map((image) => image + name),
      }
      if (entry.isDirectory() && this.#mounted.has(inside.path)) continue
      this.#addEntry(entry, inside)
      if (entry.isDirectory()) this.add(inside)
    }
  }

  #addEntry(entry: Dirent, { folder, path, imageFolders }: Parameters<FileList['add']>[0]): void {
    // Folders are compared only with those of the image.
    if (entry.isDirectory() && imageFolders.length === 0) return
    const stats = lookUp(folder)
    if (stats === undefined) return
    if (isDeletionMark(stats)) {
      this.deletedFiles.push(path)
      return
    }
    this.#compareWithImage(stats, path, imageFolders)
    if (!stats.isFile()) return
    this.usedBytes += stats.blocks * BLOCK_BYTES
    const { ino: inode, size, mode, mtimeMs: modifiedAt } = stats
    if (size === 0) return
    const [allocatedBytes, isOpen] = [stats.blocks * BLOCK_BYTES, this.#openFiles.has(path)]
    this.files.set(path, { inode, size, allocatedBytes, mode, modifiedAt, isOpen })
  }

  #compareWithImage(stats: Stats, path: string, imageFolders: readonly string[]): void {
    for (const image of imageFolders) {
      const former = lookUp(image)
      if (former === undefined) continue
      if (!isDeletionMark(former) && isHarmed(stats, former)) this.changedFiles.push(path)
      return
    }
  }
}

/** `pid`: the main process. `pids`: all processes that write files of their own. */
export const listFiles = (pid: number, pids: readonly number[] = [pid]): Files => {
  const mounts = orUndefined(() => listMounts(pid)) ?? []
  // A fault on files mounts its own file system over them.
  if (mounts.some(({ type }) => type.startsWith('fuse'))) return { deletedFiles: [], usedBytes: 0 }
  const openFiles = listOpenFiles(pids)
  const list = new FileList(openFiles, new Set(mounts.map(({ path }) => path)))
  for (const mount of mounts) if (!mount.isReadOnly && !SYSTEM_TYPES.includes(mount.type)) list.add(mount)
  const isComplete = mounts.length > 0 && !list.isTooLong
  const files = [...list.files].sort(([one], [other]) => (one < other ? -1 : 1))
  const unlinked = [...openFiles].filter((path) => path.endsWith(UNLINKED))
  return {
    ...(isComplete
      ? { files: files.map(([path]) => path), fileStates: files.map(([, state]) => state) }
      : {}),
    ...defined({ hasTooManyFiles: list.isTooLong ? true : undefined }),
    deletedFiles: list.deletedFiles.sort(),
    changedFiles: list.changedFiles.sort(),
    unlinkedFiles: unlinked.map((path) => path.slice(0, -UNLINKED.length)).sort(),
    usedBytes: list.usedBytes,
  }
}
