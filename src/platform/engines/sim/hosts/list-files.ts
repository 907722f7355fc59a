/** Lists the files that a container can change, as the laboratory sees them: faults have no effect on it. */
import type { FileState } from '#spec'
import { isWritable, type Mount, toContainerPath } from './mount-table.ts'
import { BLOCK_BYTES, loadContent, type StoredFile } from './stored-file.ts'
import { usedBytesOf } from './volume.ts'

export interface ListedFiles {
  /** The paths, in order, of files that are not empty. */
  readonly files: readonly string[]
  /** In the order of `files`. */
  readonly fileStates: readonly FileState[]
  readonly usedBytes: number
}

const isBelow = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)

/** Permissions are not modelled. */
const MODE = 0o100644

/** Numbers files in the order in which they are listed first. */
export const createInodes = (): ((file: StoredFile) => number) => {
  const inodes = new WeakMap<StoredFile, number>()
  let last = 0
  return (file) => {
    const inode = inodes.get(file) ?? last + 1
    if (inode > last) {
      last = inode
      inodes.set(file, inode)
    }
    return inode
  }
}

const toState = (file: StoredFile, inode: number): FileState => ({
  inode,
  size: file.size,
  allocatedBytes: Math.max(0, file.blocks * BLOCK_BYTES - file.holeBytes),
  mode: MODE,
  modifiedAt: file.changes,
  isOpen: file.opened > 0,
})

export const listFiles = (mounts: readonly Mount[], inodeOf: (file: StoredFile) => number): ListedFiles => {
  const writable = mounts.filter(isWritable)
  const files = writable.flatMap((mount) => {
    const mounted = [...mount.volume.files.values()].filter(({ path }) => isBelow(path, mount.subPath ?? ''))
    for (const file of mounted) loadContent(file)
    return mounted
      .filter(({ size }) => size > 0)
      .map((file) => [toContainerPath(mount, file.path), toState(file, inodeOf(file))] as const)
  })
  const sorted = [...new Map(files)].sort(([one], [other]) => (one < other ? -1 : 1))
  const volumes = new Set(writable.map(({ volume }) => volume))
  return {
    files: sorted.map(([path]) => path),
    fileStates: sorted.map(([, state]) => state),
    usedBytes: [...volumes].reduce((sum, volume) => sum + usedBytesOf(volume), 0),
  }
}
