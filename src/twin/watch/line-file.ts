/** A file that gets a line for each thing that is done, before anybody is told that it was done. */
import { existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Begins anew at this size, so that no volume fills up by it. */
const MOST_BYTES = 1024 * 1024

/** Resolves when the kernel has the line, and never rejects: what is slow is waited for, what cannot be written is lost. */
export type WriteLine = (line: string) => Promise<void>

/** Nothing where its folder is not there. */
export const createLineFile = (path: string, mostBytes = MOST_BYTES): WriteLine | undefined => {
  if (!existsSync(dirname(path))) return undefined
  let file: Promise<FileHandle> | undefined
  let size = 0
  const write = async (opened: Promise<FileHandle>, text: string): Promise<void> => {
    const handle = await opened
    if (size > mostBytes) {
      size = 0
      await handle.truncate(0)
    }
    size += (await handle.write(text)).bytesWritten
  }
  return async (line) => {
    file ??= open(path, 'a')
    const opened = file
    try {
      await write(opened, `${line}\n`)
    } catch {
      // It is opened again for the next line, once: others who failed with the same one leave the new one alone.
      if (file !== opened) return
      file = undefined
      await opened.then((handle) => handle.close()).catch(() => {})
    }
  }
}
