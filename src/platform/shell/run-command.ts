/** Runs simple commands: functions, commands of the shell, and programs. */
import { UnsupportedCommand } from '#spec'
import type { BuiltIn, BuiltInTools } from './built-ins/built-in.ts'
import { flowBuiltIns } from './built-ins/flow.ts'
import { jobBuiltIns } from './built-ins/jobs.ts'
import { printingBuiltIns } from './built-ins/printing.ts'
import { variableBuiltIns } from './built-ins/variables.ts'
import { type Expansion, expandText, expandWord } from './expand-words.ts'
import { closeSinks, redirect } from './redirect.ts'
import type { RunningProgram } from './shell-port.ts'
import {
  complain,
  environmentOf,
  type Shell,
  ShellExit,
  ShellJump,
  type Streams,
  setVariable,
} from './shell-state.ts'
import type { Command, SimpleCommand, Word } from './syntax/script-tree.ts'

/** Commands that a script may run without waiting, so that an endless loop ends. */
const MAX_COMMANDS = 20_000
/** Commands of the shell per millisecond of CPU time. */
const COMMANDS_PER_MS = 20

const BUILT_INS: Readonly<Record<string, BuiltIn>> = {
  ...flowBuiltIns,
  ...jobBuiltIns,
  ...printingBuiltIns,
  ...variableBuiltIns,
}

/** A failed redirection of one of these ends the script. */
const SPECIAL = new Set(
  '. : break continue eval exec exit export readonly return set shift times trap unset'.split(' '),
)

export interface RunTools extends BuiltInTools {
  readonly expansionFor: (shell: Shell, streams: Streams) => Expansion
  readonly runCommand: (shell: Shell, command: Command, streams: Streams) => Promise<number>
}

export const expandWords = async (words: readonly Word[], expansion: Expansion): Promise<string[]> => {
  const expanded: string[] = []
  for (const word of words) expanded.push(...(await expandWord(word, expansion)))
  return expanded
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

export const countCommand = async ({ port, progress }: Shell): Promise<void> => {
  progress.commands += 1
  if (port.use === undefined) {
    if (progress.commands > MAX_COMMANDS)
      throw new UnsupportedCommand(`a script of more than ${MAX_COMMANDS} commands`)
  } else if (progress.commands % COMMANDS_PER_MS === 0) await port.use(1)
  port.signal?.throwIfAborted()
}

const runFunction = async (
  shell: Shell,
  body: Command,
  args: readonly string[],
  streams: Streams,
  tools: RunTools,
): Promise<number> => {
  const { parameters, loops } = shell
  const saved: Shell['locals'][number] = new Map()
  shell.parameters = args
  shell.loops = 0
  shell.locals.push(saved)
  try {
    return await tools.runCommand(shell, body, streams)
  } catch (error) {
    if (error instanceof ShellJump && error.type === 'return') return error.number
    throw error
  } finally {
    shell.parameters = parameters
    shell.loops = loops
    shell.locals.pop()
    restoreVariables(shell, saved)
  }
}

const restoreVariables = ({ variables }: Shell, saved: Shell['locals'][number]): void => {
  for (const [name, variable] of saved) {
    if (variable === undefined) variables.delete(name)
    else variables.set(name, variable)
  }
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

const assign = async (shell: Shell, { assignments }: SimpleCommand, expansion: Expansion): Promise<void> => {
  for (const { name, value } of assignments) setVariable(shell, name, await expandText(value, expansion))
}

/** Sets variables for one command. Returns a function that restores them. */
const assignFor = async (shell: Shell, command: SimpleCommand, expansion: Expansion): Promise<() => void> => {
  const saved: Shell['locals'][number] = new Map()
  for (const { name, value } of command.assignments) {
    const text = await expandText(value, expansion)
    if (!saved.has(name)) saved.set(name, shell.variables.get(name))
    shell.variables.set(name, { value: text, isExported: true })
  }
  return () => restoreVariables(shell, saved)
}

const runWithVariables = async (
  shell: Shell,
  command: SimpleCommand,
  words: readonly string[],
  streams: Streams,
  tools: RunTools,
): Promise<number> => {
  const [name = '', ...args] = words
  const body = shell.functions.get(name)
  if (command.assignments.length > 0 && (body !== undefined || SPECIAL.has(name)) && name !== 'exec')
    throw new UnsupportedCommand(`the variable ${command.assignments[0]!.name} for the command ${name}`)
  const restore = await assignFor(shell, command, tools.expansionFor(shell, streams))
  try {
    return await (body === undefined
      ? runWords(shell, words, streams, tools)
      : runFunction(shell, body, args, streams, tools))
  } finally {
    restore()
  }
}

export const runSimple = async (
  shell: Shell,
  command: SimpleCommand,
  streams: Streams,
  tools: RunTools,
): Promise<number> => {
  shell.line = command.line
  await countCommand(shell)
  const expansion = tools.expansionFor(shell, streams)
  shell.capturedCode = 0
  const words = await expandWords(command.words, expansion)
  const name = words[0] ?? ''
  const redirected = await redirect(shell, command.redirections, streams, expansion)
  if (redirected === undefined) {
    if (SPECIAL.has(name) || words.length === 0) throw new ShellExit(2)
    return 2
  }
  const { sinks } = redirected
  // `exec` without words keeps the files open.
  if (name === 'exec' && words.length === 1) {
    shell.streams = redirected.streams
    return 0
  }
  if (words.length === 0) {
    await assign(shell, command, expansion)
    // Without a command, the status is that of the last substitution.
    return closeSinks(sinks, shell.capturedCode, streams, shell.port.name)
  }
  let code = 1
  try {
    code = await runWithVariables(shell, command, words, redirected.streams, tools)
  } finally {
    code = await closeSinks(sinks, code, streams, name)
  }
  return code
}
