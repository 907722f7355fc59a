/** Runs a program for each of its paths. */
import { type PodProgramCall, ProgramFailure, reasonOf } from '../pod-program.ts'

/** Runs the work for each path, and reports the paths for which it fails. */
export const forEachPath = async (
  call: PodProgramCall,
  paths: readonly string[],
  work: (path: string) => Promise<void> | void,
  describe: (path: string) => string,
): Promise<number> => {
  let code = 0
  if (paths.length === 0)
    throw new ProgramFailure(`missing operand\nTry '${call.name} --help' for more information.`)
  for (const path of paths) {
    try {
      await work(path)
    } catch (error) {
      call.complain(error instanceof ProgramFailure ? error.message : `${describe(path)}: ${reasonOf(error)}`)
      code = 1
    }
  }
  return code
}
