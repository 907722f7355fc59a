/** The process of an external agent: lines out, lines in, within bounds, and its whole group ended at the end. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { type Clock, sleep } from '../../kit/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { keepApart } from './keep-apart.ts'

/** A line longer than this is a flood. */
const MOST_LINE_LETTERS = 4_000_000
/** Lines, and letters of them, that nobody has read yet; beyond that the program has to wait. */
const MOST_WAITING = 1000
const MOST_WAITING_LETTERS = 8_000_000
/** So many in a row say nothing, at the cost of whoever reads them. */
const MOST_EMPTY_LINES = 10_000
/** What is kept of what it writes to its standard error, for the reason. */
const STDERR_KEPT = 2000

interface ProgramEnd {
  readonly words: string
  /** With this whoever was to start it says that it is not there, or must not be run. */
  readonly isUnstartable: boolean
}

export interface Program {
  /** The next line; nothing at the end of its output. Rejects when none comes in time, or when it floods. */
  next(): Promise<string | undefined>
  send(message: object): void
  /** Says what is known of how it ended. */
  describeEnd(): Promise<ProgramEnd>
  /** Ends it and all that it started, after a while in which it may end by itself. */
  close(graceMs: number): Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Splits the output into lines; reading stops while too many wait. */
const createLines = (child: Child) => {
  const waiting: string[] = []
  let waitingLetters = 0
  let emptyLines = 0
  /** Of a line that has not ended yet. */
  const begun: string[] = []
  let begunLength = 0
  let problem: Error | undefined
  let isOver = false
  let wake = (): void => {}
  const fail = (words: string): void => {
    problem ??= new Error(words)
    child.stdout.destroy()
  }
  const endLine = (): void => {
    const line = begun.splice(0).join('')
    begunLength = 0
    if (line.trim() === '') {
      emptyLines += 1
      if (emptyLines > MOST_EMPTY_LINES)
        fail(`The program wrote more than ${MOST_EMPTY_LINES} empty lines in a row.`)
      return
    }
    emptyLines = 0
    waiting.push(line)
    waitingLetters += line.length
  }
  const add = (piece: string): void => {
    begun.push(piece)
    begunLength += piece.length
    if (begunLength > MOST_LINE_LETTERS)
      fail(`The program wrote a line of more than ${MOST_LINE_LETTERS} letters.`)
  }
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n')
    add(first)
    for (const piece of others) {
      endLine()
      add(piece)
    }
    if (waiting.length > MOST_WAITING || waitingLetters > MOST_WAITING_LETTERS) child.stdout.pause()
    wake()
  })
  const over = (): void => {
    // A last line may lack its end, unless it breaks off.
    if (isJson(begun.join(''))) endLine()
    isOver = true
    wake()
  }
  child.stdout.on('end', over)
  child.stdout.on('close', over)

  /** What can be said now: a line, that there are no more, or nothing yet. */
  const take = (): { line: string | undefined } | undefined => {
    if (problem !== undefined) throw problem
    const line = waiting.shift()
    waitingLetters -= line?.length ?? 0
    if (waiting.length <= MOST_WAITING / 2 && waitingLetters <= MOST_WAITING_LETTERS / 2)
      child.stdout.resume()
    return line !== undefined || isOver ? { line } : undefined
  }
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })
  return { take, changed }
}

const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it runs any more.
  }
}

export interface ProgramOptions {
  readonly path: string
  readonly args: readonly string[]
  readonly clock: Clock
  readonly silenceMs: number
  /** It runs as nobody, and sees no process but its own. */
  readonly isApart: boolean
  /** Where it is started; where Remedium was, where absent. */
  readonly folder: string | undefined
}

const spawnProgram = ({ path, args, isApart, folder }: ProgramOptions): { child: Child; forget(): void } => {
  const { command, environment, forget } = isApart
    ? keepApart(path, args)
    : { command: [path, ...args] as const, environment: process.env, forget() {} }
  const [first, ...rest] = command
  const child = spawn(first, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: environment,
    cwd: folder,
  })
  return { child, forget }
}

const NOT_LET = /permission denied/i
/** What shells and `setpriv` end with where a program is not there, or must not be run. */
const UNSTARTABLE: readonly string[] = ['exit code 126', 'exit code 127']

/** It would be the same in every episode, and says nothing of the agent. */
export const unstartable = (why: string, cause?: unknown): RemediumError =>
  new RemediumError('tool-missing', `The program of the external agent cannot be started: ${why}.`, {
    blame: 'operator',
    cause,
    hint: 'Try the command line in a shell, as the user nobody.',
  })

/** Resolves when the program runs, or the shell that is to start it. */
export const startProgram = async (options: ProgramOptions): Promise<Program> => {
  const { clock, silenceMs, isApart } = options
  const { child, forget } = spawnProgram(options)
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => {
      forget()
      reject(unstartable(cause.message, cause))
    })
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-STDERR_KEPT)
  })
  // A program that has ended or closed its input is found out by the end of its output.
  child.stdin.on('error', () => {})
  const lines = createLines(child)

  return {
    async next() {
      const late = new Error(`The program said nothing for ${silenceMs / 1000} seconds.`)
      let isLate = false
      let expire = (): void => {}
      const expired = new Promise<void>((resolve) => {
        expire = resolve
      })
      const timer = clock.after(silenceMs, () => {
        isLate = true
        expire()
      })
      try {
        for (;;) {
          const taken = lines.take()
          if (taken !== undefined) return taken.line
          if (isLate) throw late
          await Promise.race([lines.changed(), expired])
        }
      } finally {
        timer.cancel()
      }
    },
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    async describeEnd() {
      const how = await Promise.race([exited, sleep(clock, 1000).then(() => 'its output closed')])
      const hint =
        isApart && NOT_LET.test(complaints)
          ? '; it runs as nobody, who must be able to read its files, unless you give --set external.user=root'
          : ''
      const words = complaints.trim() === '' ? how : `${how}; it complained: ${complaints.trim()}${hint}`
      return { words, isUnstartable: UNSTARTABLE.includes(how) }
    },
    async close(graceMs) {
      child.stdin.end()
      if (graceMs > 0) await Promise.race([exited, sleep(clock, graceMs)])
      killGroup(child.pid)
      await exited
      child.stdout.destroy()
      child.stderr.destroy()
      forget()
    },
  }
}
