/** rm: removes files and folders. */
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure } from '../pod-program.ts'
import { forEachPath } from './for-each-path.ts'
import { typeOf } from './type-of.ts'

export const removeTree = async (call: PodProgramCall, path: string): Promise<void> => {
  if (typeOf(call, path) === 'file') return call.files.remove(call.resolve(path))
  for (const name of call.files.list(call.resolve(path))) await removeTree(call, `${path}/${name}`)
  await call.files.removeFolder(call.resolve(path))
}

export const rm: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'rRfd', long: { recursive: 'r', force: 'f' } })
  const isDeep = options.has('r') || options.has('R')
  if (operands.length === 0 && options.has('f')) return 0
  const remove = async (path: string): Promise<void> => {
    const type = typeOf(call, path)
    if (type === undefined) {
      if (!options.has('f')) throw new ProgramFailure(`cannot remove '${path}': No such file or directory`)
    } else if (type === 'folder' && !isDeep)
      throw new ProgramFailure(`cannot remove '${path}': Is a directory`)
    else if (isDeep && /(?:^|\/)\.{1,2}$/.test(path))
      throw new ProgramFailure(`refusing to remove '.' or '..' directory: skipping '${path}'`)
    else if (isDeep && call.resolve(path) === '/') call.refuse()
    else await removeTree(call, path)
  }
  return forEachPath(call, operands, remove, (path) => `cannot remove '${path}'`)
}
