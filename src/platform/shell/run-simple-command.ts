/** Runs simple commands: redirections, assignments, and the words. */
import { UnsupportedCommand } from '#spec'
import { countCommand } from './count-command.ts'
import { type Expansion, expandText } from './expand-text.ts'
import { expandWords } from './expand-words.ts'
import { closeSinks, redirect } from './redirect.ts'
import { runFunction } from './run-function.ts'
import type { RunTools } from './run-tools.ts'
import { runWords } from './run-words.ts'
import { restoreVariables, type Shell, ShellExit, type Streams, setVariable } from './shell-state.ts'
import type { SimpleCommand } from './syntax/script-tree.ts'

/** A failed redirection of one of these ends the script. */
const SPECIAL = new Set(
  '. : break continue eval exec exit export readonly return set shift times trap unset'.split(' '),
)

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

export const runSimpleCommand = async (
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
