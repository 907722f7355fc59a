/** A log file that contains the line of a request before the response is sent. */
import { dirname } from 'node:path'
import type { ProgramFile, ProgramFiles } from '#spec'

/** The file is truncated at this size, so that it does not fill the volume. */
const MAX_BYTES = 1024 * 1024

/**
 * Resolves when the kernel has the line. Never rejects: waits for a slow disk, and drops lines that cannot be
 * written.
 */
export type WriteLine = (line: string) => Promise<void>

/** Returns undefined if the folder does not exist. */
export const createLineFile = (
  files: ProgramFiles,
  path: string,
  maxBytes = MAX_BYTES,
): WriteLine | undefined => {
  if (!files.exists(dirname(path))) return undefined
  let file: Promise<ProgramFile> | undefined
  /** Once the file is open, so that writers need not wait for it. */
  let handle: ProgramFile | undefined
  let size = 0
  const open = async (): Promise<ProgramFile> => {
    handle = await files.open(path, 'append')
    return handle
  }
  return async (line) => {
    file ??= open()
    const opened = file
    try {
      const current = handle ?? (await opened)
      if (size > maxBytes) {
        size = 0
        await current.truncate(0)
      }
      size += await current.write(Buffer.from(`${line}\n`), size)
    } catch {
      // Another failed write may already have discarded this handle.
      if (file !== opened) return
      file = undefined
      handle = undefined
      await opened.then((failed) => failed.close()).catch(() => {})
    }
  }
}
