/** find: lists or deletes files by name (-name) and type (-type). */
import { posix } from 'node:path'
import type { PodProgram, PodProgramCall } from '../pod-program.ts'
import { forEachPath } from './for-each-path.ts'
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

/** The content of a folder before the folder. */
const deleteAll = (call: PodProgramCall, found: readonly string[]): Promise<number> =>
  forEachPath(
    call,
    found.toReversed(),
    (path) =>
      typeOf(call, path) === 'folder'
        ? call.files.removeFolder(call.resolve(path))
        : call.files.remove(call.resolve(path)),
    (path) => `cannot delete ‘${path}’`,
  )

export const find: PodProgram = async (call) => {
  const at = call.args.findIndex((arg) => arg.startsWith('-'))
  const roots = at < 0 ? call.args : call.args.slice(0, at)
  const tests: ((path: string) => boolean)[] = []
  const left = at < 0 ? [] : call.args.slice(at)
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const isAction = arg === '-print' || arg === '-delete'
    // Tests after an action would not limit it.
    if (isAction && left.length > 0) call.refuse()
    const value = isAction ? '' : (left.shift() ?? call.refuse())
    if (arg === '-name') tests.push((path) => toGlob(value).test(posix.basename(path)))
    else if (arg === '-type' && /^[fd]$/.test(value))
      tests.push((path) => typeOf(call, path) === (value === 'f' ? 'file' : 'folder'))
    else if (!isAction) call.refuse()
  }
  let code = 0
  for (const root of roots.length === 0 ? ['.'] : roots) {
    if (typeOf(call, root) === undefined) {
      call.complain(`‘${root}’: No such file or directory`)
      code = 1
      continue
    }
    const found = walk(call, root).filter((path) => tests.every((test) => test(path)))
    if (call.args.at(-1) !== '-delete') for (const path of found) call.out(`${path}\n`)
    else if (found.length > 0 && (await deleteAll(call, found)) !== 0) code = 1
  }
  return code
}
