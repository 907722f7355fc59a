/** ls, mkdir, rmdir, rm, mv, cp, touch, find, du, chmod, basename, dirname, realpath and mktemp. */
import { posix } from 'node:path'
import { writeAll } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure, reasonOf } from '../pod-program.ts'

const typeOf = (call: PodProgramCall, path: string): 'file' | 'folder' | undefined =>
  call.files.statusOf(call.resolve(path))?.type

/** Runs the work for each path, and reports the paths for which it fails. */
const forEachPath = async (
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

const ls: PodProgram = (call) => {
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

const mkdir: PodProgram = (call) => {
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

const rmdir: PodProgram = (call) => {
  const { operands } = parseOptions(call, {})
  return forEachPath(
    call,
    operands,
    (path) => call.files.removeFolder(call.resolve(path)),
    (path) => `failed to remove '${path}'`,
  )
}

const removeTree = async (call: PodProgramCall, path: string): Promise<void> => {
  if (typeOf(call, path) === 'file') return call.files.remove(call.resolve(path))
  for (const name of call.files.list(call.resolve(path))) await removeTree(call, `${path}/${name}`)
  await call.files.removeFolder(call.resolve(path))
}

const rm: PodProgram = (call) => {
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

const touch: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'cam' })
  const create = async (path: string): Promise<void> => {
    if (typeOf(call, path) !== undefined || options.has('c')) return
    await (await call.files.open(call.resolve(path), 'append')).close()
  }
  if (operands.length === 0)
    throw new ProgramFailure("missing file operand\nTry 'touch --help' for more information.")
  return forEachPath(call, operands, create, (path) => `cannot touch '${path}'`)
}

/** Permissions are not modelled. */
const ignoreChange: PodProgram = (call) => {
  const [, ...paths] = parseOptions(call, { flags: 'Rfx' }).operands
  const check = (path: string): void => {
    if (typeOf(call, path) === undefined)
      throw new ProgramFailure(`cannot access '${path}': No such file or directory`)
  }
  return forEachPath(call, paths, check, (path) => path)
}

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

const find: PodProgram = (call) => {
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

const basename: PodProgram = ({ args: [path = '', suffix = ''], out }) => {
  const name = posix.basename(path)
  out(`${suffix !== '' && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name}\n`)
  return 0
}

const dirname: PodProgram = ({ args: [path = ''], out }) => {
  out(`${posix.dirname(path)}\n`)
  return 0
}

const realpath: PodProgram = (call) => {
  const { operands } = parseOptions(call, { flags: 'f' })
  for (const path of operands) call.out(`${call.resolve(path)}\n`)
  return 0
}

const pwd: PodProgram = ({ host, out }) => {
  out(`${host.folder}\n`)
  return 0
}

const NAME_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const mktemp: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, { flags: 'd' })
  const template = operands[0] ?? '/tmp/tmp.XXXXXXXXXX'
  const letter = (): string => NAME_CHARACTERS[Math.floor(call.host.random.next() * NAME_CHARACTERS.length)]!
  const path = template.replace(/X{3,}$/, (marks) => Array.from(marks, letter).join(''))
  if (options.has('d')) call.files.makeFolder(call.resolve(path))
  else await (await call.files.open(call.resolve(path), 'append')).close()
  call.out(`${path}\n`)
  return 0
}

const sync: PodProgram = () => 0

export const filePrograms: Readonly<Record<string, PodProgram>> = {
  basename,
  chgrp: ignoreChange,
  chmod: ignoreChange,
  chown: ignoreChange,
  cp: transfer(false),
  dirname,
  find,
  ls,
  mkdir,
  mktemp,
  mv: transfer(true),
  pwd,
  realpath,
  rm,
  rmdir,
  sync,
  touch,
}
