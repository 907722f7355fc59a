/** Commands of the shell on variables and folders. */
import { posix } from 'node:path'
import { quoteShellWord } from '#kit'
import { UnsupportedCommand } from '#spec'
import { complain, parameterValue, ShellExit, type Streams, setVariable } from '../shell-state.ts'
import type { BuiltIn } from './built-in.ts'

/** Takes one line of the input. Returns false if its end is reached without a newline. */
const takeLine = (input: Streams['input']): { line: string; isWhole: boolean } => {
  const { text } = input
  const end = text.indexOf('\n')
  const isWhole = end >= 0
  input.text = isWhole ? text.slice(end + 1) : ''
  return { line: isWhole ? text.slice(0, end) : text, isWhole }
}

/** Takes lines while they end with a backslash. */
const takeLogicalLine = (input: Streams['input']): { line: string; isWhole: boolean } => {
  let { line, isWhole } = takeLine(input)
  while (isWhole && /(?:^|[^\\])(?:\\\\)*\\$/.test(line)) {
    const next = takeLine(input)
    line = line.slice(0, -1) + next.line
    isWhole = next.isWhole
  }
  return { line: line.replaceAll(/\\(.)/g, '$1'), isWhole }
}

const readVariables: BuiltIn = (shell, args, { input }) => {
  const isRaw = args[0] === '-r'
  const names = isRaw ? args.slice(1) : args
  if (names.length === 0 || names.some((name) => name.startsWith('-')))
    throw new UnsupportedCommand(`read ${args.join(' ')}`)
  const { line, isWhole } = isRaw ? takeLine(input) : takeLogicalLine(input)
  const separators = shell.variables.get('IFS')?.value ?? ' \t\n'
  const blanks = [...separators].filter((character) => ' \t\n'.includes(character)).join('')
  const isBlank = (character: string | undefined): boolean =>
    character !== undefined && character !== '' && blanks.includes(character)
  const trimEnd = (text: string): string => {
    let end = text.length
    while (isBlank(text[end - 1])) end -= 1
    return text.slice(0, end)
  }
  let at = 0
  const skipBlanks = (): void => {
    while (isBlank(line[at])) at += 1
  }
  skipBlanks()
  for (const name of names.slice(0, -1)) {
    const start = at
    while (at < line.length && !separators.includes(line[at]!)) at += 1
    setVariable(shell, name, line.slice(start, at))
    skipBlanks()
    if (at < line.length && separators.includes(line[at]!)) at += 1
    skipBlanks()
  }
  let rest = trimEnd(line.slice(at))
  // A single separator at the end belongs to the field before it.
  if (
    rest !== '' &&
    separators.includes(rest.at(-1)!) &&
    ![...rest.slice(0, -1)].some((each) => separators.includes(each))
  )
    rest = rest.slice(0, -1)
  setVariable(shell, names.at(-1)!, rest)
  return isWhole ? 0 : 1
}

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/

const exportVariables: BuiltIn = (shell, args, { out }) => {
  const { variables } = shell
  if (args.length === 0 || args[0] === '-p') {
    for (const [name, { value, isExported }] of [...variables].sort(([a], [b]) => (a < b ? -1 : 1)))
      if (isExported) out(`export ${name}=${quoteAlways(value)}\n`)
    return 0
  }
  for (const arg of args) {
    const [, name, value] = ASSIGNMENT.exec(arg) ?? []
    if (name === undefined || shell.port.unknownVariables?.has(name))
      throw new UnsupportedCommand(`export ${arg}`)
    const current = variables.get(name)
    if (value !== undefined || current !== undefined)
      variables.set(name, { value: value ?? current!.value, isExported: true })
  }
  return 0
}

const quoteAlways = (text: string): string => {
  const quoted = quoteShellWord(text)
  return quoted.startsWith("'") ? quoted : `'${text}'`
}

const unset: BuiltIn = ({ variables, functions }, args) => {
  for (const name of args.filter((arg) => arg !== '-v')) {
    if (args[0] === '-f') functions.delete(name)
    else variables.delete(name)
  }
  return 0
}

const local: BuiltIn = (shell, args, streams) => {
  const saved = shell.locals.at(-1)
  if (saved === undefined) {
    complain(shell, streams, 'local: not in a function')
    throw new ShellExit(2)
  }
  for (const arg of args) {
    const [, name, value] = ASSIGNMENT.exec(arg) ?? []
    if (name === undefined) throw new UnsupportedCommand(`local ${arg}`)
    if (!saved.has(name)) saved.set(name, shell.variables.get(name))
    if (value !== undefined) setVariable(shell, name, value)
  }
  return 0
}

const changeFolder: BuiltIn = (shell, args, streams) => {
  const { files } = shell.port
  const [written = parameterValue(shell, 'HOME') ?? ''] = args
  const target = written === '-' ? parameterValue(shell, 'OLDPWD') : written
  if (files === undefined || target === undefined) throw new UnsupportedCommand(`cd ${written}`)
  const path = posix.resolve(shell.folder, target)
  if (files.statusOf(path)?.type !== 'folder') {
    complain(shell, streams, `cd: can't cd to ${target}`)
    return 2
  }
  if (written === '-') streams.out(`${path}\n`)
  setVariable(shell, 'OLDPWD', shell.folder)
  setVariable(shell, 'PWD', path)
  shell.folder = path
  return 0
}

const printFolder: BuiltIn = ({ folder, port }, _args, { out }) => {
  if (port.files === undefined) throw new UnsupportedCommand('pwd')
  out(`${folder}\n`)
  return 0
}

const readOnly: BuiltIn = (_shell, args) => {
  throw new UnsupportedCommand(`readonly ${args.join(' ')}`)
}

/** Bits of new files are not modelled. */
const umask: BuiltIn = (_shell, args, { out }) => {
  if (args.length === 0) out('0022\n')
  return 0
}

export const variableBuiltIns: Readonly<Record<string, BuiltIn>> = {
  cd: changeFolder,
  export: exportVariables,
  local,
  pwd: printFolder,
  read: readVariables,
  readonly: readOnly,
  umask,
  unset,
}
