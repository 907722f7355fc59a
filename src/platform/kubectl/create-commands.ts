/** Runs commands and scripts in process: kubectl, a shell, and a few programs that filter text. */
import { sleep } from '#kit'
import { UnsupportedCommand } from '#spec'
import type { CommandOptions, Program } from './command-context.ts'
import { kubectl } from './kubectl.ts'
import { filters } from './programs/filters.ts'
import { simplePrograms } from './programs/simple-programs.ts'
import { parseScript } from './shell/parse-script.ts'
import { runScript } from './shell/run-script.ts'
import { ShellSyntaxError } from './shell/script-reader.ts'

export interface CommandRequest {
  /** The words of a command, or the text of a script for /bin/sh. */
  readonly command: readonly string[] | string
  readonly stdin: string
  readonly signal: AbortSignal
}

export interface CommandOutcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface Commands {
  /** Rejects with UnsupportedCommand for a command that is not modelled, and with the reason of the signal if it aborts. */
  run(request: CommandRequest): Promise<CommandOutcome>
}

/** The time that a shell takes to start a program. */
const START_MS = 4

const PROGRAMS: Readonly<Record<string, Program>> = { kubectl, ...simplePrograms, ...filters }

const findProgram = (written: string): Program => {
  const name = written.replace(/^\/(?:usr\/)?bin\//, '')
  if (!Object.hasOwn(PROGRAMS, name)) throw new UnsupportedCommand(`the program ${written}`)
  return PROGRAMS[name]!
}

const SHELLS = new Set(['sh', 'bash', '/bin/sh', '/bin/bash', '/usr/bin/bash'])

export const createCommands = (options: CommandOptions): Commands => {
  const runText = async (
    text: string,
    { stdin, signal }: CommandRequest,
    out: (text: string) => void,
    err: (text: string) => void,
  ): Promise<number> => {
    try {
      const script = parseScript(text)
      return await runScript({ ...options, signal, findProgram }, script, stdin, { out, err })
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error
      err(`/bin/sh: 1: ${error.message}\n`)
      return 2
    }
  }

  const runWords = async (
    [name = '', ...args]: readonly string[],
    request: CommandRequest,
    out: (text: string) => void,
    err: (text: string) => void,
  ): Promise<number> => {
    if (SHELLS.has(name) && args.length === 2 && args[0] === '-c') return runText(args[1]!, request, out, err)
    const { signal, stdin } = request
    return findProgram(name)({
      ...options,
      args,
      stdin,
      signal,
      out,
      err,
      async sleep(milliseconds) {
        signal.throwIfAborted()
        await sleep(options.clock, milliseconds)
        signal.throwIfAborted()
      },
    })
  }

  return {
    async run(request) {
      const { command, signal } = request
      let stdout = ''
      let stderr = ''
      const out = (text: string): void => {
        stdout += text
      }
      const err = (text: string): void => {
        stderr += text
      }
      await sleep(options.clock, START_MS)
      signal.throwIfAborted()
      const exitCode =
        typeof command === 'string'
          ? await runText(command, request, out, err)
          : await runWords(command, request, out, err)
      return { exitCode, stdout, stderr }
    },
  }
}
