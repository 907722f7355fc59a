/** An open file of a simulated container. */
import type { Random } from '#kit'
import { corrupt } from '#platform/kube/io-effects'
import type { ProgramFile } from '#spec'
import { createFileError, type FileCall } from './file-error.ts'
import type { FaultOutcome, FileRequest } from './file-faults.ts'
import { type Mount, toContainerPath } from './mount-table.ts'
import type { StoredFile } from './stored-file.ts'
import { resizeInVolume, writeToVolume } from './volume.ts'

/** Runs an action after the faults on its requests; rejects with the error of a fault or of the action. */
export type PerformFileCall = <T>(
  call: FileCall,
  requests: () => readonly FileRequest[],
  action: (outcome: FaultOutcome) => T,
) => Promise<T>

export interface OpenFileOptions {
  readonly mount: Mount
  readonly file: StoredFile
  readonly appends: boolean
  readonly random: Random
  readonly perform: PerformFileCall
  readonly onWritten: (bytes: number) => void
  readonly onClosed: () => void
}

export const createOpenFile = (options: OpenFileOptions): ProgramFile => {
  const { mount, file, appends, random, perform, onWritten, onClosed } = options
  const { volume } = mount
  let isOpen = true

  /** The name of the file can change while it is open. */
  const requestsOf = (method: string) => (): readonly FileRequest[] => [
    { method, paths: [toContainerPath(mount, file.path)] },
  ]
  const performIfOpen = <T>(
    name: string,
    method: string,
    action: (outcome: FaultOutcome) => T,
  ): Promise<T> => {
    if (isOpen) return perform({ name }, requestsOf(method), action)
    return perform(
      { name },
      () => [],
      () => {
        throw createFileError('EBADF', { name })
      },
    )
  }

  const write = (bytes: Uint8Array, position: number, { mistakes }: FaultOutcome): number => {
    const data = mistakes.length === 0 ? bytes : new Uint8Array(bytes)
    for (const mistake of mistakes) corrupt(data, mistake, random)
    // The kernel ignores the position if the file was opened to append.
    const count = writeToVolume(volume, file, data, appends ? file.size : position)
    if (count === undefined) throw createFileError('ENOSPC', { name: 'write' })
    onWritten(count)
    return count
  }

  return {
    write: (bytes, position) => performIfOpen('write', 'write', (outcome) => write(bytes, position, outcome)),
    truncate: (size) =>
      performIfOpen('ftruncate', 'setattr', () => {
        if (!resizeInVolume(volume, file, size)) throw createFileError('ENOSPC', { name: 'ftruncate' })
      }),
    sync: () => performIfOpen('fsync', 'fsync', () => {}),
    close() {
      const closed = performIfOpen('close', 'flush', () => {})
      // The file is closed even if the call waits or fails.
      if (isOpen) onClosed()
      isOpen = false
      return closed
    },
  }
}
