/** ls: lists folders, without the long format. */
import { parseOptions } from '../parse-options.ts'
import type { PodProgram } from '../pod-program.ts'
import { typeOf } from './type-of.ts'

export const ls: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'aA1dlR' })
  if (options.has('l') || options.has('R')) call.refuse()
  const paths = operands.length === 0 ? ['.'] : [...operands].sort()
  const isShown = (name: string): boolean => options.has('a') || options.has('A') || !name.startsWith('.')
  const lines: string[] = []
  const folders: string[] = []
  let code = 0
  for (const path of paths) {
    const type = typeOf(call, path)
    if (type === undefined) {
      call.complain(`cannot access '${path}': No such file or directory`)
      code = 2
    } else if (type === 'folder' && !options.has('d')) folders.push(path)
    else lines.push(path)
  }
  for (const [index, path] of folders.entries()) {
    if (paths.length > 1) lines.push(...(index > 0 || lines.length > 0 ? [''] : []), `${path}:`)
    if (options.has('a')) lines.push('.', '..')
    lines.push(...call.files.list(call.resolve(path)).filter(isShown))
  }
  call.out(lines.map((line) => `${line}\n`).join(''))
  return code
}
