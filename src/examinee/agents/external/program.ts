/** The process of an external agent: exchanges lines with it, and kills all its processes at the end. */
import { type Clock, sleep } from '#kit'
import { type Launch, launchProgram } from './launch-program.ts'
import { createLineReader } from './line-reader.ts'

/** Only the end of standard error is kept, to describe a failure. */
const MAX_STDERR_CHARACTERS = 2000

/** The time limit for reading standard error after the program has ended. */
const LAST_OUTPUT_MS = 500

interface ProgramEnd {
  readonly description: string
  /** Whether the program does not exist or is not executable: the operator is to blame, not the agent. */
  readonly isNotStarted: boolean
}

export interface Program {
  /**
   * Resolves with the next line, or undefined at the end of the output. Rejects if the program writes nothing
   * for too long, or exceeds a limit.
   */
  next(): Promise<string | undefined>
  send(message: object): void
  /** Describes how the program ended. */
  describeEnd(): Promise<ProgramEnd>
  /** Closes its input, waits up to `graceMs` for it to exit, then kills it and its child processes. */
  close(graceMs: number): Promise<void>
}

export interface ProgramOptions extends Launch {
  readonly clock: Clock
  readonly silenceMs: number
}

/** Messages of programs that cannot read a file. */
const FILE_MISSING = /permission denied|no such file|not found|cannot find|ModuleNotFoundError/i
const ISOLATION_HINT =
  '; the program runs as the user nobody, and sees the folders of the system, its working directory and the folders that its command line names: name others with --set external.folders=FOLDER, or trust it with --set external.user=root'

/** Resolves when the program, or the shell that starts it, is running. */
export const startProgram = async (options: ProgramOptions): Promise<Program> => {
  const { clock, silenceMs, isolation } = options
  const launched = await launchProgram(options)
  const { stdin, stdout, ended } = launched
  let stderr = ''
  launched.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_CHARACTERS)
  })
  const stderrRead = new Promise<unknown>((resolve) => launched.stderr.once('close', resolve))
  for (const stream of [stdin, stdout, launched.stderr]) stream.on('error', () => {})
  const lineReader = createLineReader(stdout)

  return {
    async next() {
      const silenceError = new Error(`The program wrote nothing for ${silenceMs / 1000} seconds.`)
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
          const result = lineReader.takeLine()
          if (result !== undefined) return result.line
          if (isLate) throw silenceError
          await Promise.race([lineReader.waitForChange(), expired])
        }
      } finally {
        timer.cancel()
      }
    },
    send(message) {
      stdin.write(`${JSON.stringify(message)}\n`)
    },
    async describeEnd() {
      const endReason = await Promise.race([ended, sleep(clock, 1000).then(() => 'its output closed')])
      await Promise.race([stderrRead, sleep(clock, LAST_OUTPUT_MS)])
      const limit = launched.exceededLimit()
      const hint = isolation !== undefined && FILE_MISSING.test(stderr) ? ISOLATION_HINT : ''
      const description = [
        limit === undefined ? endReason : `${endReason}; ${limit}`,
        ...(stderr.trim() === '' ? [] : [`standard error: ${stderr.trim()}${hint}`]),
      ].join('; ')
      return { description, isNotStarted: !launched.isStarted }
    },
    async close(graceMs) {
      stdin.end()
      if (graceMs > 0) await Promise.race([ended, sleep(clock, graceMs)])
      await launched.close()
    },
  }
}
