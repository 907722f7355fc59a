/** Commands of the shell that print, compare or find programs. */
import { UnsupportedCommand } from '#spec'
import { complain, ShellExit } from '../shell-state.ts'
import type { BuiltIn } from './built-in.ts'
import { echoOfBash, echoOfDash } from './echo.ts'
import { evaluateTest, TestError } from './evaluate-test.ts'
import { printf } from './printf.ts'

const echo: BuiltIn = ({ port }, args, { out }) => {
  out(port.isBash === true ? echoOfBash(args) : echoOfDash(args))
  return 0
}

const print: BuiltIn = (shell, args, streams) => {
  const [format, ...values] = args[0] === '--' ? args.slice(1) : args
  if (format === undefined) {
    complain(shell, streams, 'printf: usage: printf format [arg ...]')
    throw new ShellExit(2)
  }
  const { text, errors } = printf(format, values)
  streams.out(text)
  for (const error of errors) complain(shell, streams, `printf: ${error}`)
  return errors.length === 0 ? 0 : 1
}

const test =
  (name: string): BuiltIn =>
  (shell, args, streams) => {
    const { folder, port } = shell
    try {
      if (name === '[' && args.at(-1) !== ']') throw new TestError('missing ]')
      const words = name === '[' ? args.slice(0, -1) : args
      return Number(!evaluateTest(words, { files: port.files, folder }))
    } catch (error) {
      if (!(error instanceof TestError)) throw error
      complain(shell, streams, `${name}: ${error.message}`)
      return 2
    }
  }

const command: BuiltIn = (shell, args, streams, { runWords }) => {
  const [first, ...names] = args
  if (first !== '-v' && first !== '-V') return first === undefined ? 0 : runWords(shell, args, streams)
  if (first === '-V') throw new UnsupportedCommand('command -V')
  let code = 0
  for (const name of names) {
    const found = findCommand(shell, name)
    if (found === undefined) code = 127
    else streams.out(`${found}\n`)
  }
  return code
}

const findCommand = (shell: Parameters<BuiltIn>[0], name: string): string | undefined => {
  const { port, functions } = shell
  if (functions.has(name) || OWN_NAMES.has(name)) return name
  if (port.find === undefined) throw new UnsupportedCommand(`command -v ${name}`)
  return port.find(name)
}

const type: BuiltIn = (shell, args, { out }) => {
  let code = 0
  for (const name of args) {
    const found = findCommand(shell, name)
    if (found === undefined) code = 127
    if (shell.functions.has(name)) out(`${name} is a shell function\n`)
    else if (found === undefined) out(`${name}: not found\n`)
    else out(found === name && !name.includes('/') ? `${name} is a shell builtin\n` : `${name} is ${found}\n`)
  }
  return code
}

/** The commands of the shell that `command -v` reports by their names. */
const OWN_NAMES = new Set(
  '. : [ break cd command continue echo eval exec exit export false kill local printf pwd read return set shift test trap true type umask unset wait'.split(
    ' ',
  ),
)

export const printingBuiltIns: Readonly<Record<string, BuiltIn>> = {
  '[': test('['),
  command,
  echo,
  printf: print,
  test: test('test'),
  type,
}
