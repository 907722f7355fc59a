/** Lists the files that a container can change, as the laboratory sees them: faults have no effect on it. */
import { isWritable, type Mount, toContainerPath } from './mount-table.ts'
import { loadContent } from './stored-file.ts'
import { usedBytesOf } from './volume.ts'

export interface ListedFiles {
  /** The paths, in order, of files that are not empty. */
  readonly files: readonly string[]
  readonly usedBytes: number
}

const isBelow = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)

export const listFiles = (mounts: readonly Mount[]): ListedFiles => {
  const writable = mounts.filter(isWritable)
  const files = writable.flatMap((mount) => {
    const mounted = [...mount.volume.files.values()].filter(({ path }) => isBelow(path, mount.subPath ?? ''))
    for (const file of mounted) loadContent(file)
    return mounted.filter(({ size }) => size > 0).map(({ path }) => toContainerPath(mount, path))
  })
  const volumes = new Set(writable.map(({ volume }) => volume))
  return {
    files: [...new Set(files)].sort(),
    usedBytes: [...volumes].reduce((sum, volume) => sum + usedBytesOf(volume), 0),
  }
}
