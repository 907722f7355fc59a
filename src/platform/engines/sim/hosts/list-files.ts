/** Lists the files that a container can change, as the laboratory sees them: faults have no effect on it. */
import { isWritable, type Mount, toContainerPath } from './mount-table.ts'
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
  const files = writable.flatMap((mount) =>
    [...mount.volume.files.values()]
      // The content of a file of an image is not known before it is read.
      .filter(
        ({ path, size, load }) => isBelow(path, mount.subPath ?? '') && (size > 0 || load !== undefined),
      )
      .map(({ path }) => toContainerPath(mount, path)),
  )
  const volumes = new Set(writable.map(({ volume }) => volume))
  return {
    files: [...new Set(files)].sort(),
    usedBytes: [...volumes].reduce((sum, volume) => sum + usedBytesOf(volume), 0),
  }
}
