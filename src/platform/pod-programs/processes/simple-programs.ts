/** echo, printf, test, hostname, whoami, true and false, and the list of the simple programs. */
import { echoOfBash, evaluateTest, printf as formatPrintf, TestError } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, ProgramFailure } from '../pod-program.ts'
import { date } from './date.ts'
import { expr } from './expr.ts'
import { seq } from './seq.ts'

const echo: PodProgram = ({ args, out }) => {
  out(echoOfBash(args))
  return 0
}

const printf: PodProgram = ({ args, out, complain }) => {
  const [format, ...values] = args
  if (format === undefined)
    throw new ProgramFailure("missing operand\nTry 'printf --help' for more information.")
  const { text, errors } = formatPrintf(format, values)
  out(text)
  for (const error of errors) complain(`‘${error.replace(': ', '’: ')}`)
  return errors.length === 0 ? 0 : 1
}

const testAs =
  (name: '[' | 'test'): PodProgram =>
  ({ args, files, host }) => {
    if (name === '[' && args.at(-1) !== ']') throw new ProgramFailure('missing ‘]’', 2)
    try {
      return Number(!evaluateTest(name === '[' ? args.slice(0, -1) : args, { files, folder: host.folder }))
    } catch (error) {
      if (error instanceof TestError) throw new ProgramFailure(error.message, 2)
      throw error
    }
  }

const whoami: PodProgram = ({ out }) => {
  out('root\n')
  return 0
}

const hostname: PodProgram = (call) => {
  const { options } = parseOptions(call, { flags: 'si' })
  const { environment, network } = call.host
  call.out(`${options.has('i') ? network.address : (environment.HOSTNAME ?? 'localhost')}\n`)
  return 0
}

const exitWith =
  (code: number): PodProgram =>
  () =>
    code

export const simplePrograms: Readonly<Record<string, PodProgram>> = {
  '[': testAs('['),
  date,
  echo,
  expr,
  false: exitWith(1),
  hostname,
  printf,
  seq,
  test: testAs('test'),
  true: exitWith(0),
  whoami,
}
