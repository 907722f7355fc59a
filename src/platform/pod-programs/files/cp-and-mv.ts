/** cp and mv: copy and move files and folders. */
import { posix } from 'node:path'
import { writeAll } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure, reasonOf } from '../pod-program.ts'
import { removeTree } from './rm.ts'
import { typeOf } from './type-of.ts'

const copyFile = async (call: PodProgramCall, from: string, to: string): Promise<void> => {
  const content = call.files.read(call.resolve(from))
  const file = await call.files.open(call.resolve(to), 'replace')
  await writeAll(file, content, 0).finally(() => file.close())
}

const copyTree = async (call: PodProgramCall, from: string, to: string): Promise<void> => {
  if (typeOf(call, from) === 'file') return copyFile(call, from, to)
  call.files.makeFolder(call.resolve(to))
  for (const name of call.files.list(call.resolve(from)))
    await copyTree(call, `${from}/${name}`, `${to}/${name}`)
}

/** The sources and their targets: in the last operand if it is a folder. */
const toMoves = (call: PodProgramCall, operands: readonly string[]): (readonly [string, string])[] => {
  const hint = `\nTry '${call.name} --help' for more information.`
  if (operands.length === 0) throw new ProgramFailure(`missing file operand${hint}`)
  if (operands.length === 1)
    throw new ProgramFailure(`missing destination file operand after '${operands[0]}'${hint}`)
  const target = operands.at(-1)!
  const sources = operands.slice(0, -1)
  const isFolder = typeOf(call, target) === 'folder'
  if (sources.length > 1 && !isFolder) throw new ProgramFailure(`target '${target}' is not a directory`)
  return sources.map((source) => [source, isFolder ? posix.join(target, posix.basename(source)) : target])
}

const transfer =
  (isMove: boolean): PodProgram =>
  async (call) => {
    const { options, operands } = parseOptions(call, {
      flags: isMove ? 'f' : 'rRafp',
      long: { recursive: 'r', force: 'f' },
    })
    const isDeep = isMove || options.has('r') || options.has('R') || options.has('a')
    let code = 0
    for (const [from, to] of toMoves(call, operands)) {
      const type = typeOf(call, from)
      try {
        if (type === undefined) throw new ProgramFailure(`cannot stat '${from}': No such file or directory`)
        if (type === 'folder' && !isDeep)
          throw new ProgramFailure(`-r not specified; omitting directory '${from}'`)
        if (call.resolve(from) === call.resolve(to))
          throw new ProgramFailure(`'${from}' and '${to}' are the same file`)
        const verb = isMove ? `cannot move '${from}' to '${to}'` : `cannot create regular file '${to}'`
        if (typeOf(call, posix.dirname(call.resolve(to))) === undefined)
          throw new ProgramFailure(`${verb}: No such file or directory`)
        if (!isMove) await copyTree(call, from, to)
        else if (type === 'file')
          await call.files.rename(call.resolve(from), call.resolve(to)).catch(async (error) => {
            if (error.code !== 'EXDEV') throw error
            await copyFile(call, from, to)
            await call.files.remove(call.resolve(from))
          })
        else {
          if (typeOf(call, to) !== undefined) call.refuse()
          await copyTree(call, from, to)
          await removeTree(call, from)
        }
      } catch (error) {
        call.complain(
          error instanceof ProgramFailure
            ? error.message
            : `cannot ${isMove ? 'move' : 'copy'} '${from}' to '${to}': ${reasonOf(error)}`,
        )
        code = 1
      }
    }
    return code
  }

export const cp: PodProgram = transfer(false)

export const mv: PodProgram = transfer(true)
