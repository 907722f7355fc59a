/** Saves the body of a response to a file. */
import { encodeText, writeAll } from '#platform/shell'
import { type PodProgramCall, ProgramFailure, reasonOf } from '../pod-program.ts'

export const saveTo = async (call: PodProgramCall, path: string, body: string): Promise<void> => {
  try {
    const file = await call.files.open(call.resolve(path), 'replace')
    await writeAll(file, encodeText(body), 0).finally(() => file.close())
  } catch (error) {
    throw new ProgramFailure(`${path}: ${reasonOf(error)}`, 3)
  }
}
