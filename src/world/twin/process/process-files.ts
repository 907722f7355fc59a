/** The files of the container that this process runs in. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm, rmdir } from 'node:fs/promises'
import type { ProgramFile, ProgramFiles } from '#spec'

const FLAGS = { update: 'r+', replace: 'w', append: 'a' } as const

const toProgramFile = (handle: FileHandle): ProgramFile => ({
  write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
  truncate: (size) => handle.truncate(size),
  sync: () => handle.datasync(),
  close: () => handle.close(),
})

export const processFiles: ProgramFiles = {
  exists: existsSync,
  read: (path) => readFileSync(path),
  makeFolder: (path) => void mkdirSync(path, { recursive: true }),
  open: async (path, mode) => toProgramFile(await open(path, FLAGS[mode])),
  rename,
  remove: (path) => rm(path, { force: true }),
  statusOf: (path) => {
    const status = statSync(path, { throwIfNoEntry: false })
    if (status === undefined) return undefined
    return status.isDirectory() ? { type: 'folder', bytes: 0 } : { type: 'file', bytes: status.size }
  },
  list: (path) => readdirSync(path).sort(),
  removeFolder: (path) => rmdir(path),
}
