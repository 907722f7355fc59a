/** mkdir and rmdir: create and remove folders. */
import { posix } from 'node:path'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, ProgramFailure } from '../pod-program.ts'
import { forEachPath } from './for-each-path.ts'
import { typeOf } from './type-of.ts'

export const mkdir: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'pv', values: 'm', long: { parents: 'p' } })
  if (options.has('v')) call.refuse()
  const describe = (path: string): string => `cannot create directory ‘${path}’`
  const make = (path: string): void => {
    const isThere = typeOf(call, path) !== undefined
    if (isThere && (!options.has('p') || typeOf(call, path) === 'file'))
      throw new ProgramFailure(`${describe(path)}: File exists`)
    const parent = posix.dirname(call.resolve(path))
    if (!options.has('p') && typeOf(call, parent) === undefined)
      throw new ProgramFailure(`${describe(path)}: No such file or directory`)
    call.files.makeFolder(call.resolve(path))
  }
  return forEachPath(call, operands, make, describe)
}

export const rmdir: PodProgram = (call) => {
  const { operands } = parseOptions(call, {})
  return forEachPath(
    call,
    operands,
    (path) => call.files.removeFolder(call.resolve(path)),
    (path) => `failed to remove '${path}'`,
  )
}
