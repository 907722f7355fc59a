/** Copies of the content of a volume: made, compared with the volume, and restored in place. */
import { readContent, type StoredFile } from './stored-file.ts'
import { removeFile, type Volume } from './volume.ts'

/** Pieces of files are never changed in place, so a copy costs no more than its names. */
export interface VolumeCopy {
  readonly files: ReadonlyMap<string, StoredFile>
  readonly folders: ReadonlySet<string>
}

const copyFile = (file: StoredFile): StoredFile => ({
  ...file,
  chunks: [...file.chunks],
  opened: 0,
  hasName: true,
})

const isSameContent = (a: StoredFile, b: StoredFile): boolean => {
  if (a.load === undefined && b.load === undefined) {
    if (a.size !== b.size) return false
    if (a.chunks.length === b.chunks.length && a.chunks.every((chunk, index) => chunk === b.chunks[index]))
      return true
  } else if (a.load === b.load) return true
  return Buffer.compare(readContent(a), readContent(b)) === 0
}

export const copyVolume = ({ files, folders }: Volume): VolumeCopy => ({
  files: new Map([...files].map(([path, file]) => [path, copyFile(file)])),
  folders: new Set(folders),
})

export const isSameVolume = ({ files, folders }: Volume, copy: VolumeCopy): boolean =>
  folders.size === copy.folders.size &&
  files.size === copy.files.size &&
  [...folders].every((path) => copy.folders.has(path)) &&
  [...files].every(([path, file]) => {
    const copied = copy.files.get(path)
    return copied !== undefined && isSameContent(file, copied)
  })

/** Replaces the content. Files that are open stay open, but have no name. */
export const restoreVolume = (volume: Volume, copy: VolumeCopy): void => {
  for (const file of [...volume.files.values()]) removeFile(volume, file)
  volume.folders = new Set(copy.folders)
  for (const [path, copied] of copy.files) {
    const file = copyFile(copied)
    volume.files.set(path, file)
    volume.usedBlocks += file.blocks
  }
}
