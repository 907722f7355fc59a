/** echo, printf, test, seq, date, id, whoami, hostname, uname, true, false and expr. */
import { echoOfBash, evaluateTest, printf as formatPrintf, TestError } from '#platform/shell'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, ProgramFailure } from '../pod-program.ts'

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

const seq: PodProgram = (call) => {
  const { options, operands } = parseOptions(
    { args: call.args.map((arg) => (/^-\d/.test(arg) ? ` ${arg}` : arg)), refuse: call.refuse },
    { values: 's', flags: 'w' },
  )
  const numbers = operands.map(Number)
  if (operands.length === 0)
    throw new ProgramFailure("missing operand\nTry 'seq --help' for more information.")
  const wrong = operands.find((_, index) => Number.isNaN(numbers[index]))
  if (wrong !== undefined)
    throw new ProgramFailure(
      `invalid floating point argument: ‘${wrong}’\nTry 'seq --help' for more information.`,
    )
  const [first, step, last] =
    numbers.length === 1
      ? [1, 1, numbers[0]!]
      : numbers.length === 2
        ? [numbers[0]!, 1, numbers[1]!]
        : [numbers[0]!, numbers[1]!, numbers[2]!]
  if (options.has('w') || numbers.some((each) => !Number.isInteger(each)) || step === 0) call.refuse()
  const values: number[] = []
  for (let value = first; step > 0 ? value <= last : value >= last; value += step) values.push(value)
  const separator = (options.get('s') as string | undefined) ?? '\n'
  if (values.length > 0) call.out(`${values.join(separator)}\n`)
  return 0
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** In UTC, and the locale C. */
const date: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'u', values: 'd' })
  const given = options.get('d') as string | undefined
  const [, seconds] = /^@(\d+)$/.exec(given ?? '') ?? []
  if (given !== undefined && seconds === undefined) call.refuse()
  const ms = seconds === undefined ? call.host.time.now() : Number(seconds) * 1000
  const time = new Date(ms)
  const iso = time.toISOString()
  const day = DAYS[time.getUTCDay()]!
  const month = MONTHS[time.getUTCMonth()]!
  const parts: Readonly<Record<string, string>> = {
    Y: iso.slice(0, 4),
    y: iso.slice(2, 4),
    m: iso.slice(5, 7),
    d: iso.slice(8, 10),
    e: String(time.getUTCDate()).padStart(2),
    H: iso.slice(11, 13),
    M: iso.slice(14, 16),
    S: iso.slice(17, 19),
    F: iso.slice(0, 10),
    T: iso.slice(11, 19),
    a: day,
    b: month,
    s: String(Math.floor(ms / 1000)),
    N: `${iso.slice(20, 23)}000000`,
    z: '+0000',
    Z: 'UTC',
    n: '\n',
    '%': '%',
  }
  const format = operands[0] ?? '+%a %b %e %T %Z %Y'
  if (!format.startsWith('+')) call.refuse()
  call.out(
    `${format.slice(1).replaceAll(/%(\d?)([A-Za-z%])/g, (_, digits: string, letter: string) => {
      const text = parts[letter] ?? call.refuse()
      return digits === '' ? text : text.slice(0, Number(digits))
    })}\n`,
  )
  return 0
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

const expr: PodProgram = (call) => {
  const [a = '', operator = '', b = '', ...rest] = call.args
  if (rest.length > 0 || !/^-?\d+$/.test(a) || !/^-?\d+$/.test(b) || !/^[-+*/%]$/.test(operator))
    call.refuse()
  const [x, y] = [Number(a), Number(b)]
  if ('/%'.includes(operator) && y === 0) throw new ProgramFailure('division by zero', 2)
  const results: Readonly<Record<string, number>> = {
    '+': x + y,
    '-': x - y,
    '*': x * y,
    '/': Math.trunc(x / y),
    '%': x % y,
  }
  call.out(`${results[operator]! + 0}\n`)
  return Number(results[operator] === 0)
}

const NOT_MODELLED = [
  'id',
  'uname',
  'df',
  'du',
  'free',
  'top',
  'uptime',
  'mount',
  'ss',
  'netstat',
  'ip',
  'ping',
  'stat',
  'ln',
  'awk',
  'strace',
  'lsof',
  'stress',
  'python3',
  'perl',
  'less',
  'more',
  'vi',
  'diff',
  'tar',
  'gzip',
  'nproc',
  'yes',
  'watch',
  'od',
  'xxd',
  'hexdump',
  'nc',
  'nslookup',
  'dig',
  'telnet',
  'traceroute',
]

const refuseAll: PodProgram = (call) => call.refuse()

export const simplePrograms: Readonly<Record<string, PodProgram>> = {
  ...Object.fromEntries(NOT_MODELLED.map((name) => [name, refuseAll])),
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
