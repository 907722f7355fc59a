/** Files in memory, for tests of programs that keep data. */
import type { ProgramFile, ProgramFiles } from '#spec'

/** The content of a volume, which outlives the containers that mount it. */
export interface TestVolume {
  readonly files: Map<string, Uint8Array>
  /** Further writes fail with ENOSPC. */
  isFull: boolean
}

export const createTestVolume = (): TestVolume => ({ files: new Map(), isFull: false })

const createError = (code: string, reason: string, syscall: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${reason}, ${syscall} '${path}'`), { code, syscall, path })

const createMissing = (path: string): Error =>
  createError('ENOENT', 'no such file or directory', 'open', path)

/** Several names of one file are not supported: a rename moves the content. */
const openFile = (volume: TestVolume, path: string, appends: boolean): ProgramFile => {
  const content = { bytes: volume.files.get(path)! }
  const store = (bytes: Uint8Array): void => {
    for (const [name, stored] of volume.files) if (stored === content.bytes) volume.files.set(name, bytes)
    content.bytes = bytes
  }
  return {
    write: async (bytes, position) => {
      if (volume.isFull) throw createError('ENOSPC', 'no space left on device', 'write', path)
      const at = appends ? content.bytes.length : position
      const next = new Uint8Array(Math.max(content.bytes.length, at + bytes.length))
      next.set(content.bytes)
      next.set(bytes, at)
      store(next)
      return bytes.length
    },
    truncate: async (size) => {
      const next = new Uint8Array(size)
      next.set(content.bytes.subarray(0, size))
      store(next)
    },
    sync: async () => {},
    close: async () => {},
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

const listIn = (paths: readonly string[], folder: string): string[] =>
  paths
    .filter((path) => parentOf(path) === folder)
    .map((path) => path.slice(path.lastIndexOf('/') + 1))
    .sort()

export const createTestFiles = (volume: TestVolume): ProgramFiles => {
  const folders = new Set<string>()
  return {
    exists: (path) => volume.files.has(path) || folders.has(path),
    read: (path) => {
      const bytes = volume.files.get(path)
      if (bytes === undefined) throw createMissing(path)
      return bytes.slice()
    },
    makeFolder: (path) => void folders.add(path),
    open: async (path, mode) => {
      if (mode === 'update' && !volume.files.has(path)) throw createMissing(path)
      if (mode === 'replace' || !volume.files.has(path)) volume.files.set(path, new Uint8Array())
      return openFile(volume, path, mode === 'append')
    },
    rename: async (from, to) => {
      const bytes = volume.files.get(from)
      if (bytes === undefined) throw createMissing(from)
      volume.files.delete(from)
      volume.files.set(to, bytes)
    },
    remove: async (path) => void volume.files.delete(path),
    statusOf: (path) => {
      const bytes = volume.files.get(path)?.length
      if (bytes !== undefined) return { type: 'file', bytes }
      return folders.has(path) ? { type: 'folder', bytes: 0 } : undefined
    },
    list: (path) => listIn([...volume.files.keys(), ...folders], path),
    removeFolder: async (path) => void folders.delete(path),
  }
}
