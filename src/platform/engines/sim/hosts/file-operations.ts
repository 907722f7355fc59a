/** The operations on files by path, without faults. They throw the errors of the operating system. */
import type { FileStatus, ProgramFiles } from '#spec'
import { createFileError, type FileCall } from './file-error.ts'
import { isWritable, type Location, type Mount } from './mount-table.ts'
import { loadContent, readContent, type StoredFile } from './stored-file.ts'
import {
  addFile,
  addFolders,
  parentOf,
  removeFile,
  renameFile,
  resizeInVolume,
  type Volume,
} from './volume.ts'

export type OpenMode = Parameters<ProgramFiles['open']>[1]

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Throws if the folder of the path does not exist. */
const checkParent = ({ files, folders }: Volume, path: string, call: FileCall): void => {
  let folder = parentOf(path)
  if (folders.has(folder)) return
  while (!files.has(folder) && !folders.has(folder)) folder = parentOf(folder)
  throw createFileError(files.has(folder) ? 'ENOTDIR' : 'ENOENT', call)
}

const checkWritable = (mount: Mount, call: FileCall): void => {
  if (!isWritable(mount)) throw createFileError('EROFS', call)
}

export const openStored = ({ mount, path }: Location, mode: OpenMode, call: FileCall): StoredFile => {
  const { volume } = mount
  if (volume.folders.has(path)) throw createFileError('EISDIR', call)
  const found = volume.files.get(path)
  if (found === undefined) {
    checkParent(volume, path, call)
    if (mode === 'update') throw createFileError('ENOENT', call)
  }
  checkWritable(mount, call)
  const file = found ?? addFile(volume, path)
  loadContent(file)
  if (mode === 'replace') resizeInVolume(volume, file, 0)
  return file
}

export const renameStored = (from: Location, to: Location, call: FileCall): void => {
  const { volume } = from.mount
  const file = volume.files.get(from.path)
  // No program renames folders.
  if (volume.folders.has(from.path) || to.mount.volume.folders.has(to.path))
    throw createFileError('EISDIR', call)
  if (file === undefined) throw createFileError('ENOENT', call)
  if (from.mount !== to.mount) throw createFileError('EXDEV', call)
  checkParent(volume, to.path, call)
  checkWritable(from.mount, call)
  renameFile(volume, file, to.path)
}

export const removeStored = ({ mount, path }: Location, call: FileCall): void => {
  const file = mount.volume.files.get(path)
  if (mount.volume.folders.has(path)) throw createFileError('EISDIR', call)
  if (file === undefined) return
  checkWritable(mount, call)
  removeFile(mount.volume, file)
}

export const makeStoredFolder = ({ mount, path }: Location, call: FileCall): void => {
  if (mount.volume.folders.has(path)) return
  checkWritable(mount, call)
  const obstacle = addFolders(mount.volume, path)
  if (obstacle !== undefined) throw createFileError(obstacle === path ? 'EEXIST' : 'ENOTDIR', call)
}

export const existsStored = ({ mount, path }: Location): boolean =>
  mount.volume.files.has(path) || mount.volume.folders.has(path)

export const readStored = ({ mount, path }: Location, call: FileCall): Uint8Array => {
  const { files, folders } = mount.volume
  if (folders.has(path)) throw createFileError('EISDIR', { name: 'read' })
  const file = files.get(path)
  if (file !== undefined) return readContent(file)
  checkParent(mount.volume, path, call)
  throw createFileError('ENOENT', call)
}

export const statusOfStored = ({ mount, path }: Location): FileStatus | undefined => {
  const { files, folders } = mount.volume
  if (folders.has(path)) return { type: 'folder', bytes: 0 }
  const file = files.get(path)
  if (file === undefined) return undefined
  loadContent(file)
  return { type: 'file', bytes: file.size }
}

/** The names in a folder of a volume, without mount points. */
export const listStored = ({ mount, path }: Location, call: FileCall): string[] => {
  const { files, folders } = mount.volume
  if (files.has(path)) throw createFileError('ENOTDIR', call)
  if (!folders.has(path)) {
    checkParent(mount.volume, path, call)
    throw createFileError('ENOENT', call)
  }
  return [...files.keys(), ...folders].filter((each) => each !== '' && parentOf(each) === path).map(nameOf)
}

export const removeStoredFolder = (location: Location, call: FileCall): void => {
  const { mount, path } = location
  if (listStored(location, call).length > 0) throw createFileError('ENOTEMPTY', call)
  checkWritable(mount, call)
  mount.volume.folders.delete(path)
}
