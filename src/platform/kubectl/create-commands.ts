/** Runs commands and scripts in process: kubectl, a shell, and a few programs that filter text. */
import { sleep } from '#kit'
import { runScript, type ShellPort } from '#platform/shell'
import { UnsupportedCommand } from '#spec'
import type { CommandOptions, Program } from './command-context.ts'
import { kubectl } from './kubectl.ts'
import { filters } from './programs/filters.ts'
import { simplePrograms } from './programs/simple-programs.ts'

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

/** Variables of the sandbox's shell, whose values are not modelled. */
const UNKNOWN_VARIABLES = new Set('HOME PATH PWD USER HOSTNAME KUBECONFIG SHELL TMPDIR LANG'.split(' '))

export const createCommands = (options: CommandOptions): Commands => {
  const { clock } = options
  const sleepUnless = (signal: AbortSignal) => async (milliseconds: number) => {
    signal.throwIfAborted()
    await sleep(clock, milliseconds)
    signal.throwIfAborted()
  }

  const createPort = (signal: AbortSignal): ShellPort => ({
    name: '/bin/sh',
    environment: {},
    unknownVariables: UNKNOWN_VARIABLES,
    folder: '/',
    signal,
    now: () => clock.now(),
    start({ words: [name = '', ...args], input, out, err }) {
      let stdin: string | undefined
      const ended = findProgram(name)({
        ...options,
        args,
        signal,
        get stdin() {
          stdin ??= input()
          return stdin
        },
        out,
        err,
        sleep: sleepUnless(signal),
      })
      return { ended }
    },
  })

  const runText = (
    text: string,
    { stdin, signal }: CommandRequest,
    out: (text: string) => void,
    err: (text: string) => void,
  ): Promise<number> => runScript(createPort(signal), { text, input: { text: stdin }, out, err })

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
      sleep: sleepUnless(signal),
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
