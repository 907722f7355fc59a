/** The open files of one simulated container. */
import type { Random } from '#kit'
import type { ProgramFile } from '#spec'
import type { FileCall } from './file-error.ts'
import { type OpenMode, openStored } from './file-operations.ts'
import { type Location, type Mount, toContainerPath } from './mount-table.ts'
import { createOpenFile, type PerformFileCall } from './open-file.ts'
import type { StoredFile } from './stored-file.ts'
import { closeInVolume } from './volume.ts'

export const createOpenFiles = (random: Random, perform: PerformFileCall) => {
  const entries = new Set<{ readonly mount: Mount; readonly file: StoredFile }>()
  let writtenBytes = 0
  return {
    open(location: Location, mode: OpenMode, call: FileCall): ProgramFile {
      const { mount } = location
      const { volume } = mount
      const file = openStored(location, mode, call)
      const entry = { mount, file }
      file.opened += 1
      entries.add(entry)
      const onWritten = (bytes: number): void => {
        if (volume.kind === 'disk') writtenBytes += bytes
      }
      const onClosed = (): void => {
        if (entries.delete(entry)) closeInVolume(volume, file)
      }
      return createOpenFile({ mount, file, appends: mode === 'append', random, perform, onWritten, onClosed })
    },
    /** The former paths, in order, of files that were deleted or replaced. */
    unlinked: (): string[] =>
      [...entries]
        .filter(({ file }) => !file.hasName)
        .map(({ mount, file }) => toContainerPath(mount, file.path))
        .sort(),
    /** Bytes that were written to disks. */
    writtenBytes: () => writtenBytes,
    close(): void {
      for (const { mount, file } of entries) closeInVolume(mount.volume, file)
      entries.clear()
    },
  }
}
