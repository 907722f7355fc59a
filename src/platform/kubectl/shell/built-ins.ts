/** The built-in commands of the shell. */
import { UnsupportedCommand } from '#spec'
import { LoopJump, type Shell, ShellExit, type Streams } from './shell-state.ts'

type BuiltIn = (shell: Shell, args: readonly string[], streams: Streams) => number

const setOptions: BuiltIn = (shell, args, { err }) => {
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]!
    if (/^-[eu]+$/.test(arg)) shell.exitsOnError ||= arg.includes('e')
    else if (arg === '+e') shell.exitsOnError = false
    else if (/^-[eu]*o$/.test(arg) && args[index + 1] === 'pipefail') {
      // dash has no such option, and exits.
      err('/bin/sh: 1: set: Illegal option -o pipefail\n')
      throw new ShellExit(2)
    } else throw new UnsupportedCommand(`set ${args.join(' ')}`)
  }
  return 0
}

/** Reads one line of the input. Returns false if the input ends without a newline. */
const takeLine = (input: Streams['input']): { line: string; isWhole: boolean } => {
  const end = input.text.indexOf('\n')
  const isWhole = end >= 0
  const line = isWhole ? input.text.slice(0, end) : input.text
  input.text = isWhole ? input.text.slice(end + 1) : ''
  return { line, isWhole }
}

const read: BuiltIn = ({ variables }, args, { input }) => {
  const names = args.filter((name) => name !== '-r')
  if (names.length === 0 || names.some((name) => name.startsWith('-')))
    throw new UnsupportedCommand(`read ${args.join(' ')}`)
  const { line, isWhole } = takeLine(input)
  if (!args.includes('-r') && line.includes('\\'))
    throw new UnsupportedCommand('read of a line with a backslash')
  let rest = line.replace(/^[ \t]+|[ \t]+$/g, '')
  for (const [index, name] of names.entries()) {
    if (index === names.length - 1) variables.set(name, rest)
    else {
      const [, word = '', tail = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? []
      variables.set(name, word)
      rest = tail
    }
  }
  return isWhole ? 0 : 1
}

const exit: BuiltIn = ({ lastCode }, args) => {
  const [code = String(lastCode)] = args
  if (!/^\d+$/.test(code)) throw new UnsupportedCommand(`exit ${code}`)
  throw new ShellExit(Number(code) & 0xff)
}

const jump =
  (type: 'break' | 'continue'): BuiltIn =>
  (_shell, args) => {
    if (args.length > 0) throw new UnsupportedCommand(`${type} ${args.join(' ')}`)
    throw new LoopJump(type)
  }

const exportVariables: BuiltIn = ({ variables }, args) => {
  for (const arg of args) {
    const [, name, value] = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/.exec(arg) ?? []
    if (name === undefined || name.startsWith('KUBE')) throw new UnsupportedCommand(`export ${arg}`)
    if (value !== undefined) variables.set(name, value)
  }
  return 0
}

const BUILT_INS: Readonly<Record<string, BuiltIn>> = {
  ':': () => 0,
  break: jump('break'),
  continue: jump('continue'),
  exit,
  export: exportVariables,
  read,
  set: setOptions,
}

/** Returns undefined for a name that is not a built-in command. */
export const runBuiltIn = (
  shell: Shell,
  name: string,
  args: readonly string[],
  streams: Streams,
): number | undefined => (Object.hasOwn(BUILT_INS, name) ? BUILT_INS[name]!(shell, args, streams) : undefined)
