/** ps, pgrep, pkill, kill, sleep, nohup, env, printenv, timeout and xargs. */
import { linearPattern } from '#kit'
import { parseKill } from '#platform/shell'
import { type ProgramProcess, type ProgramSignal, UnsupportedCommand } from '#spec'
import { parseOptions } from '../parse-options.ts'
import { type PodProgram, type PodProgramCall, ProgramFailure } from '../pod-program.ts'
import { toProcessName } from '../system-files.ts'
import { splitLines } from '../text/lines.ts'

const toId = ({ id }: ProgramProcess): string => String(id)

/** Columns that need no measurement. */
const COLUMNS: Readonly<Record<string, (process: ProgramProcess) => string>> = {
  pid: toId,
  comm: ({ command }) => toProcessName(command),
  args: ({ command }) => command.join(' '),
  cmd: ({ command }) => command.join(' '),
}
const HEADINGS: Readonly<Record<string, string>> = {
  pid: 'PID',
  comm: 'COMMAND',
  args: 'COMMAND',
  cmd: 'CMD',
}

const ps: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'eA', values: 'o' })
  const format = options.get('o') as string | undefined
  // Other columns show times and memory, which are not modelled by process.
  if (format === undefined || operands.some((each) => !/^[ax]+$/.test(each))) call.refuse()
  const columns = (format ?? '').split(',').map((each) => each.split('='))
  if (columns.some(([name = '']) => COLUMNS[name] === undefined)) call.refuse()
  const rows = call.host.processes
    .list()
    .map((process) => columns.map(([name = '']) => COLUMNS[name]!(process)))
  const headings = columns.map(([name = '', heading]) => heading ?? HEADINGS[name]!)
  const all = headings.every((heading) => heading === '') ? rows : [headings, ...rows]
  const widths = columns.map(([name], index) =>
    Math.max(name === 'pid' ? 7 : 0, ...all.map((row) => row[index]!.length)),
  )
  for (const row of all) {
    const cells = row.map((cell, index) => {
      if (columns[index]![0] === 'pid') return cell.padStart(widths[index]!)
      return index === row.length - 1 ? cell : cell.padEnd(widths[index]!)
    })
    call.out(`${cells.join(' ')}\n`)
  }
  return 0
}

const findMatching = (
  call: PodProgramCall,
  pattern: string | undefined,
  options: ReadonlyMap<string, string | true>,
): ProgramProcess[] => {
  if (pattern === undefined)
    throw new ProgramFailure("no matching criteria specified\nTry `pgrep --help' for more information.", 2)
  const compiled = linearPattern(options.has('x') ? `^(?:${pattern})$` : pattern)
  const { id: own } = call.host.processes
  return call.host.processes
    .list()
    .filter(
      ({ id, command }) =>
        id !== own && compiled.test(options.has('f') ? command.join(' ') : toProcessName(command)),
    )
}

const pgrep: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'fxlac' })
  const found = findMatching(call, operands[0], options)
  if (options.has('c')) call.out(`${found.length}\n`)
  else
    for (const process of found) {
      const name = options.has('a')
        ? ` ${process.command.join(' ')}`
        : options.has('l')
          ? ` ${toProcessName(process.command)}`
          : ''
      call.out(`${process.id}${name}\n`)
    }
  return Number(found.length === 0)
}

const sendTo = (
  call: PodProgramCall,
  processes: readonly ProgramProcess[],
  signal: ProgramSignal | undefined,
): void => {
  for (const { id } of processes) if (signal !== undefined) call.host.processes.signal(id, signal)
}

const pkill: PodProgram = (call) => {
  const [first = '', ...rest] = call.args
  const isSignal = /^-(?:\d+|SIG[A-Z]+|[A-Z]{3,})$/.test(first)
  const { signal } = isSignal ? parseKill([first]) : { signal: 'TERM' as const }
  const { options, operands } = parseOptions(
    { args: isSignal ? rest : call.args, refuse: call.refuse },
    { flags: 'fx' },
  )
  const found = findMatching(call, operands[0], options)
  sendTo(call, found, signal)
  return Number(found.length === 0)
}

const killall: PodProgram = (call) => {
  const [first = '', ...rest] = call.args
  const isSignal = /^-(?:\d+|[A-Z]{3,})$/.test(first)
  const { signal } = isSignal ? parseKill([first]) : { signal: 'TERM' as const }
  let code = 0
  for (const name of isSignal ? rest : call.args) {
    const found = findMatching(call, `^${name}$`, new Map())
    if (found.length === 0) {
      call.host.writeError(`${name}: no process found\n`)
      code = 1
    }
    sendTo(call, found, signal)
  }
  return code
}

const kill: PodProgram = (call) => {
  const { signal, targets } = parseKill(call.args)
  let code = 0
  for (const target of targets) {
    if (!/^\d+$/.test(target)) call.refuse()
    const id = Number(target)
    const exists = call.host.processes.list().some((each) => each.id === id)
    if (exists && signal !== undefined) call.host.processes.signal(id, signal)
    if (exists) continue
    call.complain(`(${target}) - No such process`)
    code = 1
  }
  return code
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Undefined if the text is no duration. */
const parseDuration = (text: string): number | undefined => {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?|\.\d+)([smhd])?$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * UNITS[unit]! * 1000
}

const sleep: PodProgram = async (call) => {
  if (call.args.length === 0)
    throw new ProgramFailure("missing operand\nTry 'sleep --help' for more information.")
  if (call.args.some((arg) => arg === 'infinity')) return new Promise(() => {})
  let ms = 0
  for (const arg of call.args) {
    const duration = parseDuration(arg)
    if (duration === undefined)
      throw new ProgramFailure(`invalid time interval ‘${arg}’\nTry 'sleep --help' for more information.`)
    ms += duration
  }
  await call.sleep(ms)
  return 0
}

/** Runs the rest of the command line in place of the program. */
const runInstead = (
  call: PodProgramCall,
  command: readonly string[],
  environment = call.host.environment,
): Promise<never> => {
  const [name = ''] = command
  const isReplaced = call.host.processes.replace({ command, environment, input: () => call.host.input })
  if (isReplaced) return new Promise<never>(() => {})
  throw new ProgramFailure(
    call.name === 'nohup'
      ? `failed to run command '${name}': No such file or directory`
      : `‘${name}’: No such file or directory`,
    127,
  )
}

/** Programs are not ended by the end of a terminal. */
const nohup: PodProgram = (call) => {
  if (call.args.length === 0)
    throw new ProgramFailure("missing operand\nTry 'nohup --help' for more information.", 125)
  return runInstead(call, call.args)
}

const setsid: PodProgram = (call) =>
  runInstead(call, parseOptions(call, { flags: 'fw', stopsAtOperand: true }).operands)

const nice: PodProgram = (call) =>
  runInstead(call, parseOptions(call, { values: 'n', stopsAtOperand: true }).operands)

const env: PodProgram = (call) => {
  const { options, operands } = parseOptions(call, { flags: 'i', values: 'u', stopsAtOperand: true })
  const environment: Record<string, string> = options.has('i') ? {} : { ...call.host.environment }
  const unset = options.get('u')
  if (typeof unset === 'string') delete environment[unset]
  const left = [...operands]
  while (/^[A-Za-z_]\w*=/.test(left[0] ?? '')) {
    const [name = '', ...value] = left.shift()!.split('=')
    environment[name] = value.join('=')
  }
  if (left.length > 0) return runInstead(call, left, environment)
  for (const [name, value] of Object.entries(environment)) call.out(`${name}=${value}\n`)
  return 0
}

const printenv: PodProgram = ({ args, host, out }) => {
  if (args.length === 0)
    for (const [name, value] of Object.entries(host.environment)) out(`${name}=${value}\n`)
  let code = 0
  for (const name of args) {
    const value = host.environment[name]
    if (value === undefined) code = 1
    else out(`${value}\n`)
  }
  return code
}

const TIMED_OUT = 124

const timeout: PodProgram = async (call) => {
  const { operands } = parseOptions(call, { values: 'ks', stopsAtOperand: true })
  const [limit = '', ...command] = operands
  const ms = parseDuration(limit)
  if (ms === undefined || command.length === 0)
    throw new ProgramFailure(
      `invalid time interval ‘${limit}’\nTry 'timeout --help' for more information.`,
      125,
    )
  const { processes, time } = call.host
  const started = processes.start({ command, input: () => call.host.input })
  if (started === undefined)
    throw new ProgramFailure(`failed to run command ‘${command[0]}’: No such file or directory`, 127)
  let isOverdue = false
  const cancel = time.after(ms, () => {
    isOverdue = true
    processes.signal(started.id, 'TERM')
  })
  const code = await started.ended
  cancel()
  return isOverdue ? TIMED_OUT : code
}

const xargs: PodProgram = async (call) => {
  const { options, operands } = parseOptions(call, { flags: 'rt', values: 'nI', stopsAtOperand: true })
  const command = operands.length === 0 ? ['echo'] : operands
  const mark = options.get('I') as string | undefined
  const { input } = call.host
  if (/["'\\]/.test(input)) throw new UnsupportedCommand('xargs with quotation marks in its input')
  const words =
    mark === undefined
      ? input.split(/\s+/).filter((word) => word !== '')
      : splitLines(input).map((line) => line.trim())
  const size = mark === undefined ? Number(options.get('n') ?? Math.max(1, words.length)) : 1
  const groups: string[][] = []
  for (let at = 0; at < words.length; at += size) groups.push(words.slice(at, at + size))
  if (groups.length === 0 && !options.has('r') && mark === undefined) groups.push([])
  let code = 0
  for (const group of groups) {
    const line =
      mark === undefined ? [...command, ...group] : command.map((word) => word.replaceAll(mark, group[0]!))
    const started = call.host.processes.start({ command: line })
    if (started === undefined) throw new ProgramFailure(`${line[0]}: No such file or directory`, 127)
    if ((await started.ended) !== 0) code = 123
  }
  return code
}

export const processPrograms: Readonly<Record<string, PodProgram>> = {
  env,
  kill,
  killall,
  nice,
  nohup,
  pgrep,
  pkill,
  printenv,
  ps,
  setsid,
  sleep,
  timeout,
  xargs,
}
