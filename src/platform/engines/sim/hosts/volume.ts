/**
 * A volume of a simulated cluster: a tree of files in memory, as plain data. Owners and permissions of files are not modelled: no
 * fault depends on them.
 */
import {
  BLOCK_BYTES,
  createStoredFile,
  readContent,
  resizeContent,
  type StoredFile,
  toBlocks,
  writeContent,
} from './stored-file.ts'

export interface Volume {
  /**
   * - `disk`: an emptyDir, a claim, a hostPath, or the writable layer of a container
   * - `memory`: an emptyDir in memory
   * - `objects`: the content of API objects such as config maps; containers cannot change it
   */
  readonly kind: 'disk' | 'memory' | 'objects'
  /** Infinite if the volume is not limited. */
  readonly capacityBlocks: number
  /** By paths relative to the root, without a leading slash. */
  files: Map<string, StoredFile>
  /** The root is the empty path. */
  folders: Set<string>
  usedBlocks: number
}

/** A file whose content is computed on first use. */
export interface FileSource {
  readonly path: string
  content(): Uint8Array
}

export interface VolumeOptions {
  readonly kind: Volume['kind']
  /** Not limited by default. Only memory volumes have a limit on a local cluster; the kubelet checks others periodically. */
  readonly capacityBytes?: number | undefined
  /** Files that use no space of the volume, such as those of an image. */
  readonly files?: readonly FileSource[] | undefined
  readonly folders?: readonly string[] | undefined
}

/** The path of the folder that contains the path. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Adds the folder and its parents. If a file has one of these paths, returns that path. */
export const addFolders = (volume: Volume, path: string): string | undefined => {
  if (volume.folders.has(path)) return undefined
  if (volume.files.has(path)) return path
  const obstacle = addFolders(volume, parentOf(path))
  if (obstacle === undefined) volume.folders.add(path)
  return obstacle
}

/** Replaces the whole content at once. Open files, and mounts of a part of the volume, keep the former content. */
export const replaceFiles = (volume: Volume, sources: readonly FileSource[]): void => {
  volume.files = new Map()
  volume.folders = new Set([''])
  for (const source of sources) {
    const path = source.path.replace(/^\/+/, '')
    addFolders(volume, parentOf(path))
    volume.files.set(
      path,
      createStoredFile(path, () => source.content()),
    )
  }
}

export const createVolume = (options: VolumeOptions): Volume => {
  const { kind, capacityBytes = Number.POSITIVE_INFINITY, files = [], folders = [] } = options
  const capacityBlocks = Math.ceil(capacityBytes / BLOCK_BYTES)
  const volume: Volume = { kind, capacityBlocks, files: new Map(), folders: new Set(), usedBlocks: 0 }
  replaceFiles(volume, files)
  for (const folder of folders) addFolders(volume, folder.replace(/^\/+/, ''))
  return volume
}

/** The content of a file; undefined if there is no such file. The caller can change it. */
export const readVolumeFile = (volume: Volume, path: string): Uint8Array | undefined => {
  const file = volume.files.get(path)
  return file === undefined ? undefined : readContent(file)
}

/** The bytes that the files of the volume use on their disk. */
export const usedBytesOf = ({ usedBlocks }: Volume): number => usedBlocks * BLOCK_BYTES

const setBlocks = (volume: Volume, file: StoredFile, blocks: number): void => {
  volume.usedBlocks += blocks - file.blocks
  file.blocks = blocks
}

/** Writes as many bytes as fit into the volume, and returns their number; undefined if there is no space. */
export const writeToVolume = (
  volume: Volume,
  file: StoredFile,
  bytes: Uint8Array,
  position: number,
): number | undefined => {
  const maxSize = (volume.capacityBlocks - volume.usedBlocks + file.blocks) * BLOCK_BYTES
  const count = Math.min(bytes.length, maxSize - position)
  if (count <= 0) return bytes.length === 0 ? 0 : undefined
  writeContent(file, count === bytes.length ? bytes : bytes.subarray(0, count), position)
  setBlocks(volume, file, toBlocks(file.size))
  return count
}

/** Returns false if there is no space. */
export const resizeInVolume = (volume: Volume, file: StoredFile, size: number): boolean => {
  if (toBlocks(size) - file.blocks > volume.capacityBlocks - volume.usedBlocks) return false
  resizeContent(file, size)
  setBlocks(volume, file, toBlocks(size))
  return true
}

/** Adds an empty file. */
export const addFile = (volume: Volume, path: string): StoredFile => {
  const file = createStoredFile(path)
  volume.files.set(path, file)
  return file
}

const freeIfUnused = (volume: Volume, file: StoredFile): void => {
  if (!file.hasName && file.opened === 0) setBlocks(volume, file, 0)
}

export const closeInVolume = (volume: Volume, file: StoredFile): void => {
  file.opened -= 1
  freeIfUnused(volume, file)
}

/** Unlinks a file. */
export const removeFile = (volume: Volume, file: StoredFile): void => {
  volume.files.delete(file.path)
  file.hasName = false
  freeIfUnused(volume, file)
}

/** Renames a file, and unlinks the file that had the new name. */
export const renameFile = (volume: Volume, file: StoredFile, path: string): void => {
  const replaced = volume.files.get(path)
  if (replaced === file) return
  if (replaced !== undefined) removeFile(volume, replaced)
  volume.files.delete(file.path)
  volume.files.set(path, file)
  file.path = path
}
