/** The open files of one simulated container. */
import type { Random } from '#kit'
import type { ProgramFile } from '#spec'
import type { FileCall } from './file-error.ts'
import { type OpenMode, openStored } from './file-operations.ts'
import type { Location } from './mount-table.ts'
import { createOpenFile, type PerformFileCall } from './open-file.ts'
import type { StoredFile } from './stored-file.ts'
import { closeInVolume, type Volume } from './volume.ts'

export const createOpenFiles = (random: Random, perform: PerformFileCall) => {
  const entries = new Set<{ readonly volume: Volume; readonly file: StoredFile }>()
  let writtenBytes = 0
  return {
    open(location: Location, mode: OpenMode, call: FileCall): ProgramFile {
      const { mount } = location
      const { volume } = mount
      const file = openStored(location, mode, call)
      const entry = { volume, file }
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
    /** Bytes that were written to disks. */
    writtenBytes: () => writtenBytes,
    close(): void {
      for (const { volume, file } of entries) closeInVolume(volume, file)
      entries.clear()
    },
  }
}
