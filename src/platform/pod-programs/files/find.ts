/** find: lists files by name (-name) and type (-type). */
import { posix } from 'node:path'
import type { PodProgram, PodProgramCall } from '../pod-program.ts'
import { typeOf } from './type-of.ts'

const walk = (call: PodProgramCall, path: string): string[] => {
  if (typeOf(call, path) !== 'folder') return [path]
  const names = call.files.list(call.resolve(path))
  return [path, ...names.flatMap((name) => walk(call, path.endsWith('/') ? path + name : `${path}/${name}`))]
}

const toGlob = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|\\[\]]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  )

export const find: PodProgram = (call) => {
  const at = call.args.findIndex((arg) => arg.startsWith('-'))
  const roots = at < 0 ? call.args : call.args.slice(0, at)
  const tests: ((path: string) => boolean)[] = []
  const left = at < 0 ? [] : call.args.slice(at)
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const value = arg === '-print' ? '' : (left.shift() ?? call.refuse())
    if (arg === '-name') tests.push((path) => toGlob(value).test(posix.basename(path)))
    else if (arg === '-type' && /^[fd]$/.test(value))
      tests.push((path) => typeOf(call, path) === (value === 'f' ? 'file' : 'folder'))
    else if (arg !== '-print') call.refuse()
  }
  let code = 0
  for (const root of roots.length === 0 ? ['.'] : roots) {
    if (typeOf(call, root) === undefined) {
      call.complain(`‘${root}’: No such file or directory`)
      code = 1
      continue
    }
    for (const path of walk(call, root)) if (tests.every((test) => test(path))) call.out(`${path}\n`)
  }
  return code
}
