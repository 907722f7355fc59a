/** Commands that end loops, functions or the script, and that change its options. */
import { posix } from 'node:path'
import { UnsupportedCommand } from '#spec'
import { complain, ShellExit, ShellJump } from '../shell-state.ts'
import { decodeBytes } from '../text-bytes.ts'
import type { BuiltIn } from './built-in.ts'

const setOptions: BuiltIn = (shell, args, streams) => {
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]!
    if (arg === '--' || !/^[-+]./.test(arg)) {
      shell.parameters = args.slice(arg === '--' ? index + 1 : index)
      return 0
    }
    const isOn = arg.startsWith('-')
    for (const letter of arg.slice(1)) {
      if (letter === 'e') shell.exitsOnError = isOn
      else if (letter === 'u') shell.refusesUnset = isOn
      else if (letter === 'f') shell.expandsNames = !isOn
      else if (letter === 'o' && args[index + 1] === 'pipefail' && shell.port.isBash !== true) {
        // dash has no such option, and ends.
        complain(shell, streams, `set: Illegal option ${isOn ? '-' : '+'}o pipefail`)
        throw new ShellExit(2)
      } else throw new UnsupportedCommand(`set ${args.join(' ')}`)
    }
  }
  return 0
}

const exit: BuiltIn = (shell, args, streams) => {
  const [code = String(shell.lastCode)] = args
  if (!/^\d+$/.test(code)) {
    complain(shell, streams, `exit: Illegal number: ${code}`)
    throw new ShellExit(2)
  }
  throw new ShellExit(Number(code) & 0xff)
}

const jump =
  (type: 'break' | 'continue'): BuiltIn =>
  (shell, [count = '1']) => {
    if (!/^[1-9]\d*$/.test(count)) throw new UnsupportedCommand(`${type} ${count}`)
    // Outside of a loop it does nothing.
    if (shell.loops === 0) return 0
    throw new ShellJump(type, Math.min(Number(count), shell.loops))
  }

const returnFrom: BuiltIn = (shell, [code = String(shell.lastCode)]) => {
  if (!/^\d+$/.test(code)) throw new UnsupportedCommand(`return ${code}`)
  throw new ShellJump('return', Number(code) & 0xff)
}

const shift: BuiltIn = (shell, [count = '1'], streams) => {
  if (Number(count) > shell.parameters.length) {
    complain(shell, streams, "shift: can't shift that many")
    throw new ShellExit(2)
  }
  shell.parameters = shell.parameters.slice(Number(count))
  return 0
}

const evaluate: BuiltIn = (shell, args, streams, { runText }) => runText(shell, args.join(' '), streams)

const source: BuiltIn = (shell, [path], streams, { runText }) => {
  const { files } = shell.port
  if (files === undefined || path === undefined) throw new UnsupportedCommand(`. ${path ?? ''}`.trim())
  try {
    return runText(shell, decodeBytes(files.read(posix.resolve(shell.folder, path))), streams)
  } catch (error) {
    if ((error as { code?: unknown }).code === undefined) throw error
    complain(shell, streams, `.: cannot open ${path}: No such file`)
    throw new ShellExit(2)
  }
}

export const flowBuiltIns: Readonly<Record<string, BuiltIn>> = {
  '.': source,
  ':': () => 0,
  break: jump('break'),
  continue: jump('continue'),
  eval: evaluate,
  exit,
  false: () => 1,
  return: returnFrom,
  set: setOptions,
  shift,
  true: () => 0,
}
