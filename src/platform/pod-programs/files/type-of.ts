/** Returns whether a path is a file or a folder. */
import type { PodProgramCall } from '../pod-program.ts'

export const typeOf = (call: PodProgramCall, path: string): 'file' | 'folder' | undefined =>
  call.files.statusOf(call.resolve(path))?.type
