/** Commands of the shell on processes and signals. */
import { type ProgramSignal, UnsupportedCommand } from '#spec'
import { complain, environmentOf, type Shell, ShellExit } from '../shell-state.ts'
import type { BuiltIn } from './built-in.ts'

const SIGNALS: Readonly<Record<string, ProgramSignal>> = {
  1: 'HUP',
  2: 'INT',
  9: 'KILL',
  15: 'TERM',
  18: 'CONT',
  19: 'STOP',
  CONT: 'CONT',
  HUP: 'HUP',
  INT: 'INT',
  KILL: 'KILL',
  STOP: 'STOP',
  TERM: 'TERM',
}

/** The signal of an option such as `-9` or `-TERM`; undefined for one that is not modelled. */
export const toSignal = (text: string): ProgramSignal | undefined => SIGNALS[text.replace(/^SIG/, '')]

export interface KillRequest {
  /** Undefined asks only whether the process exists. */
  readonly signal: ProgramSignal | undefined
  readonly targets: readonly string[]
}

export const parseKill = (args: readonly string[]): KillRequest => {
  const [first = '', ...rest] = args
  const isSpelled = first === '-s' || first === '-n'
  const name = isSpelled ? rest[0] : /^-[A-Z\d]/.test(first) ? first.slice(1) : undefined
  const targets = (isSpelled ? rest.slice(1) : name === undefined ? args : rest).filter(
    (each) => each !== '--',
  )
  if (first === '-l') throw new UnsupportedCommand('kill -l')
  if (name === '0') return { signal: undefined, targets }
  const signal = name === undefined ? 'TERM' : toSignal(name)
  if (signal === undefined) throw new UnsupportedCommand(`kill ${args.join(' ')}`)
  return { signal, targets }
}

const kill: BuiltIn = (shell, args, streams) => {
  const { processes } = shell.port
  if (processes === undefined) throw new UnsupportedCommand('kill')
  const { signal, targets } = parseKill(args)
  if (targets.length === 0) {
    complain(
      shell,
      streams,
      'kill: Usage: kill [-s sigspec | -signum | -sigspec] [pid | job]... or\nkill -l [exitstatus]',
    )
    return 2
  }
  let code = 0
  for (const target of targets) {
    if ((target.startsWith('-') && (target !== '-1' || signal === undefined)) || target.startsWith('%'))
      throw new UnsupportedCommand(`kill ${args.join(' ')}`)
    if (!/^-?\d+$/.test(target)) {
      complain(shell, streams, `kill: Illegal number: ${target}`)
      return 2
    }
    const id = Number(target)
    const isFound =
      signal === undefined ? shell.jobs.has(id) || id === processes.id : processes.signal(id, signal)
    if (signal === undefined && !isFound) throw new UnsupportedCommand('kill -0 in a shell')
    if (isFound) continue
    complain(shell, streams, 'kill: No such process\n')
    code = 1
  }
  return code
}

/** The code of an interrupted `wait`. */
const INTERRUPTED = 128 + 15

/** Resolves when the job has ended, or with INTERRUPTED when a signal with a trap arrives. */
const awaitJob = (shell: Shell, job: Promise<number>): Promise<number> => {
  const { received, waiting } = shell.progress
  if (received.length > 0) return Promise.resolve(INTERRUPTED)
  return new Promise((resolve, reject) => {
    const interrupt = (): void => resolve(INTERRUPTED)
    waiting.add(interrupt)
    job.then(resolve, reject).finally(() => waiting.delete(interrupt))
  })
}

/** The messages of the shell about jobs that a signal has ended, by exit code. */
const ENDINGS: Readonly<Record<number, string>> = { 137: 'Killed', 143: 'Terminated' }

const wait: BuiltIn = async (shell, args, { err }) => {
  const { jobs, progress } = shell
  if (args.some((arg) => !/^\d+$/.test(arg))) throw new UnsupportedCommand(`wait ${args.join(' ')}`)
  let code = 0
  for (const id of args.length === 0 ? [...jobs.keys()] : args.map(Number)) {
    const job = jobs.get(id)
    code = job === undefined ? 127 : await awaitJob(shell, job)
    if (progress.received.length > 0) return INTERRUPTED
    if (job !== undefined && ENDINGS[code] !== undefined) err(`${ENDINGS[code]}\n`)
    if (args.length === 0) jobs.delete(id)
  }
  return args.length === 0 ? 0 : code
}

const normalise = (name: string): string => {
  const bare = name.replace(/^SIG/, '')
  return bare === '0' ? 'EXIT' : (toSignal(bare) ?? bare)
}

const trap: BuiltIn = (shell, args, { out }) => {
  const { traps, port, progress } = shell
  const [first, ...rest] = args[0] === '--' ? args.slice(1) : args
  if (first === undefined) {
    for (const [name, action] of traps) out(`trap -- '${action}' ${name}\n`)
    return 0
  }
  const isReset = first === '-' || rest.length === 0
  for (const name of (rest.length === 0 ? [first] : rest).map(normalise)) {
    if (!['EXIT', 'HUP', 'INT', 'TERM', 'QUIT', 'PIPE', 'USR1', 'USR2'].includes(name))
      throw new UnsupportedCommand(`trap ${args.join(' ')}`)
    if (isReset) traps.delete(name)
    else traps.set(name, first)
    if (name === 'TERM' && !isReset && !shell.isSubshell)
      port.processes?.onTermination(() => {
        progress.received.push('TERM')
        for (const interrupt of [...progress.waiting]) interrupt()
      })
  }
  return 0
}

/** `exec` without words changes the streams of the shell, which the caller does. */
const exec: BuiltIn = async (shell, args, streams, { runWords }) => {
  const { port } = shell
  if (args.length === 0) {
    shell.streams = streams
    return 0
  }
  const takeInput = (): string => {
    const { text } = streams.input
    streams.input.text = ''
    return text
  }
  const isOwnOutput = streams.out === shell.streams.out && streams.err === shell.streams.err
  if (port.processes !== undefined && !shell.isSubshell && isOwnOutput) {
    const program = { words: args, environment: environmentOf(shell), folder: shell.folder, input: takeInput }
    // Nothing after the command runs.
    if (port.processes.replace(program)) return new Promise(() => {})
    complain(shell, streams, `exec: ${args[0]}: not found`)
    throw new ShellExit(127)
  }
  throw new ShellExit(await runWords(shell, args, streams))
}

const times: BuiltIn = () => {
  throw new UnsupportedCommand('times')
}

export const jobBuiltIns: Readonly<Record<string, BuiltIn>> = {
  exec,
  jobs: () => {
    throw new UnsupportedCommand('jobs')
  },
  kill,
  times,
  trap,
  wait,
}
