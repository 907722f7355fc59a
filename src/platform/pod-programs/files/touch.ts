/** touch and mktemp: create files. */
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, ProgramFailure } from '../pod-program.ts'
import { forEachPath } from './for-each-path.ts'
import { typeOf } from './type-of.ts'

export const touch: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'cam' })
  const create = async (path: string): Promise<void> => {
    if (typeOf(call, path) !== undefined || options.has('c')) return
    await (await call.files.open(call.resolve(path), 'append')).close()
  }
  if (operands.length === 0)
    throw new ProgramFailure("missing file operand\nTry 'touch --help' for more information.")
  return forEachPath(call, operands, create, (path) => `cannot touch '${path}'`)
}

const NAME_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export const mktemp: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, { flags: 'd' })
  const template = operands[0] ?? '/tmp/tmp.XXXXXXXXXX'
  const letter = (): string => NAME_CHARACTERS[Math.floor(call.host.random.next() * NAME_CHARACTERS.length)]!
  const path = template.replace(/X{3,}$/, (marks) => Array.from(marks, letter).join(''))
  if (options.has('d')) call.files.makeFolder(call.resolve(path))
  else await (await call.files.open(call.resolve(path), 'append')).close()
  call.out(`${path}\n`)
  return 0
}
