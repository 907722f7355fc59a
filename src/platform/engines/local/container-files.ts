/** Lists the files that a container can change, in the mounts of its main process. */
import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { defined } from '#kit'
import type { ContainerInspection } from '#spec'

type Files = Pick<ContainerInspection, 'files' | 'deletedFiles' | 'usedBytes'>

/** File systems that contain no data. */
const SYSTEM_TYPES: readonly string[] = [
  ...['proc', 'sysfs', 'cgroup', 'cgroup2', 'devpts', 'mqueue', 'securityfs', 'debugfs', 'tracefs', 'bpf'],
]
/** Containers with more entries are not compared file by file. */
const MAX_ENTRIES = 5000
/** The unit of `blocks` in stat(2), independent of the filesystem. */
const BLOCK_BYTES = 512
/** Columns of /proc/PID/mountinfo before the separator. */
const [PATH, OPTIONS] = [4, 5]

interface Mount {
  /** In the container. */
  readonly path: string
  readonly type: string
  /** The folder on this machine that contains the changes. */
  readonly folder: string
  readonly isReadOnly: boolean
}

const toPath = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)))

/** An overlay is read by its upper layer, which contains only what the container changed. */
const toMount = (pid: number, line: string): Mount => {
  const [own, filesystem] = line.split(' - ') as [string, string]
  const fields = own.split(' ')
  const [type = '', , superOptions = ''] = filesystem.split(' ')
  const path = toPath(fields[PATH] ?? '')
  const upper = type === 'overlay' ? /(?:^|,)upperdir=([^,]+)/.exec(superOptions)?.[1] : undefined
  return {
    path,
    type,
    folder: upper === undefined ? `/proc/${pid}/root${path}` : toPath(upper),
    isReadOnly: [fields[OPTIONS], superOptions].some((options) => options?.split(',').includes('ro')),
  }
}

const listMounts = (pid: number): Mount[] =>
  readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => toMount(pid, line))

/** Pods can remove files while they are listed, and a mount can be a single file. */
const orUndefined = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** An overlay marks a deleted file of a lower layer by a device without a number. */
const isDeletionMark = (stats: Stats): boolean => stats.isCharacterDevice() && stats.rdev === 0

class FileList {
  readonly files: string[] = []
  readonly deletedFiles: string[] = []
  usedBytes = 0
  entries = 0

  /** `mounted`: the paths of other mounts, which are listed on their own. */
  add(folder: string, path: string, mounted: ReadonlySet<string>): void {
    for (const entry of orUndefined(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
      if (this.entries > MAX_ENTRIES) return
      this.entries += 1
      this.#addEntry(entry, folder, join(path, entry.name), mounted)
    }
  }

  #addEntry(entry: Dirent, folder: string, path: string, mounted: ReadonlySet<string>): void {
    const source = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!mounted.has(path)) this.add(source, path, mounted)
      return
    }
    const stats = orUndefined(() => lstatSync(source))
    if (stats === undefined) return
    if (isDeletionMark(stats)) this.deletedFiles.push(path)
    if (!stats.isFile()) return
    this.usedBytes += stats.blocks * BLOCK_BYTES
    if (stats.size > 0) this.files.push(path)
  }
}

/** `pid`: the main process. */
export const listFiles = (pid: number): Files => {
  const mounts = orUndefined(() => listMounts(pid)) ?? []
  // A fault on files mounts its own file system over them.
  if (mounts.some(({ type }) => type.startsWith('fuse'))) return { deletedFiles: [], usedBytes: 0 }
  const mounted = new Set(mounts.map(({ path }) => path))
  const list = new FileList()
  for (const { path, folder, type, isReadOnly } of mounts)
    if (!isReadOnly && !SYSTEM_TYPES.includes(type)) list.add(folder, path, mounted)
  const isComplete = mounts.length > 0 && list.entries <= MAX_ENTRIES
  return {
    ...defined({ files: isComplete ? list.files.sort() : undefined }),
    deletedFiles: list.deletedFiles.sort(),
    usedBytes: list.usedBytes,
  }
}
