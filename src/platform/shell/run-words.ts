/** Runs built-in commands and programs. */
import type { BuiltIn } from './built-ins/built-in.ts'
import { flowBuiltIns } from './built-ins/flow.ts'
import { jobBuiltIns } from './built-ins/jobs.ts'
import { printingBuiltIns } from './built-ins/printing.ts'
import { variableBuiltIns } from './built-ins/variables.ts'
import type { RunTools } from './run-tools.ts'
import type { RunningProgram } from './shell-port.ts'
import { complain, environmentOf, type Shell, type Streams } from './shell-state.ts'

const BUILT_INS: Readonly<Record<string, BuiltIn>> = {
  ...flowBuiltIns,
  ...jobBuiltIns,
  ...printingBuiltIns,
  ...variableBuiltIns,
}

/** Throws UnsupportedCommand for a program that is not modelled. */
export const startProgram = (
  shell: Shell,
  words: readonly string[],
  { input, out, err }: Streams,
): RunningProgram | undefined =>
  shell.port.start({
    words,
    environment: environmentOf(shell),
    folder: shell.folder,
    input: () => {
      const { text } = input
      input.text = ''
      return text
    },
    out,
    err,
  })

const missing = (shell: Shell, name: string, streams: Streams): number => {
  complain(shell, streams, `${name}: not found`)
  return 127
}

const runProgram = (shell: Shell, words: readonly string[], streams: Streams): Promise<number> => {
  const { progress, port } = shell
  const started = startProgram(shell, words, streams)
  if (started === undefined) return Promise.resolve(missing(shell, words[0]!, streams))
  if (port.use !== undefined) progress.commands = 0
  return started.ended
}

/** Runs a command without functions. */
export const runWords = (
  shell: Shell,
  words: readonly string[],
  streams: Streams,
  tools: RunTools,
): Promise<number> => {
  const [name = '', ...args] = words
  const builtIn = Object.hasOwn(BUILT_INS, name) ? BUILT_INS[name] : undefined
  return builtIn === undefined
    ? runProgram(shell, words, streams)
    : Promise.resolve(builtIn(shell, args, streams, tools))
}
