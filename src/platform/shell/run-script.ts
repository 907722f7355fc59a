/** Runs a script as /bin/sh does, with the programs and files of a port. */
import type { Expansion } from './expand-text.ts'
import { closeSinks, redirect } from './redirect.ts'
import { refuseEndless } from './refuse-endless.ts'
import { runCompound } from './run-compound.ts'
import { refuseLostJobs, startJob } from './run-jobs.ts'
import { runSimpleCommand } from './run-simple-command.ts'
import type { RunTools } from './run-tools.ts'
import { handleSignals, runExitTrap, runToEnd } from './run-traps.ts'
import { runWords } from './run-words.ts'
import type { ShellPort, Write } from './shell-port.ts'
import { createShell, createSubshell, type Shell, ShellExit, type Streams } from './shell-state.ts'
import { parseScript } from './syntax/parse-script.ts'
import type { AndOr, Command, Pipeline, Script } from './syntax/script-tree.ts'

/** Collects what is written. */
const createCollector = (): { write: Write; text(): string } => {
  const parts: string[] = []
  return { write: (text) => void parts.push(text), text: () => parts.join('') }
}

const expansionFor = (shell: Shell, streams: Streams): Expansion => ({
  shell,
  streams,
  async capture(script) {
    const output = createCollector()
    shell.capturedCode = await runSubshell(shell, script, { ...streams, out: output.write })
    return output.text()
  },
})

const runCommand = async (shell: Shell, command: Command, streams: Streams): Promise<number> => {
  if (command.type === 'simple') return runSimpleCommand(shell, command, streams, TOOLS)
  const expansion = expansionFor(shell, streams)
  const redirected = await redirect(shell, command.redirections, streams, expansion)
  if (redirected === undefined) return 2
  let code = 1
  try {
    code = await runCompound(shell, command, redirected.streams, TOOLS)
  } finally {
    code = await closeSinks(redirected.sinks, code, streams, shell.port.name)
  }
  return code
}

const runSubshell = async (shell: Shell, script: Script, streams: Streams): Promise<number> => {
  const subshell = createSubshell(shell, streams)
  const code = await runToEnd(subshell, () => runList(subshell, script, streams))
  return runExitTrap(subshell, code, TOOLS)
}

/** Programs run one after the other: all of them end by themselves. The status is that of the last one. */
const runPipe = async (shell: Shell, commands: readonly Command[], streams: Streams): Promise<number> => {
  let { input } = streams
  let code = 0
  for (const [index, command] of commands.entries()) {
    const output = createCollector()
    const isLast = index === commands.length - 1
    if (!isLast) refuseEndless(command)
    const out = isLast ? streams.out : output.write
    code = await runSubshell(shell, toScript(command), { input, out, err: streams.err })
    input = { text: output.text() }
  }
  return code
}

const toScript = (command: Command): Script => [
  { first: { isNegated: false, commands: [command] }, rest: [], isBackground: false },
]

const runPipeline = async (
  shell: Shell,
  { commands, isNegated }: Pipeline,
  streams: Streams,
): Promise<number> => {
  const [only] = commands
  const code =
    commands.length === 1 ? await runCommand(shell, only!, streams) : await runPipe(shell, commands, streams)
  return isNegated ? Number(code === 0) : code
}

const runAndOr = async (shell: Shell, { first, rest }: AndOr, streams: Streams): Promise<number> => {
  const runPart = async (pipeline: Pipeline, isLast: boolean): Promise<number> => {
    const isCondition = !isLast || pipeline.isNegated
    if (isCondition) shell.conditions += 1
    try {
      shell.lastCode = await runPipeline(shell, pipeline, streams)
    } finally {
      if (isCondition) shell.conditions -= 1
    }
    await handleSignals(shell, TOOLS)
    if (shell.lastCode !== 0 && shell.exitsOnError && shell.conditions === 0 && !isCondition)
      throw new ShellExit(shell.lastCode)
    return shell.lastCode
  }
  let code = await runPart(first, rest.length === 0)
  for (const [index, { operator, pipeline }] of rest.entries())
    if ((code === 0) === (operator === '&&')) code = await runPart(pipeline, index === rest.length - 1)
  return code
}

const runList = async (shell: Shell, script: Script, streams: Streams): Promise<number> => {
  let code = 0
  const isOwn = streams === shell.streams
  for (const part of script) {
    const current = isOwn ? shell.streams : streams
    if (part.isBackground) code = await startJob(shell, part, current, { ...TOOLS, runInBackground })
    else code = await runAndOr(shell, part, current)
  }
  return code
}

const runInBackground = (shell: Shell, part: AndOr, streams: Streams): Promise<number> =>
  runSubshell(shell, [{ ...part, isBackground: false }], { ...streams, input: { text: '' } })

/** Runs text in the shell itself, as `eval` does. */
const runText = async (shell: Shell, text: string, streams: Streams): Promise<number> => {
  const { script, error } = parseScript(text)
  const code = await runList(shell, script, streams)
  if (error === undefined) return code
  streams.err(`${shell.port.name}: ${error.line}: ${error.message}\n`)
  throw new ShellExit(2)
}

const TOOLS: RunTools = {
  expansionFor,
  runCommand,
  runList,
  runSubshell,
  runText,
  runWords: (shell, words, streams) => runWords(shell, words, streams, TOOLS),
}

export interface ScriptInput {
  readonly text: string
  readonly parameters?: readonly string[]
  /** The standard input. */
  readonly input: { text: string }
  readonly out: Write
  readonly err: Write
}

/** Returns the exit code. Throws UnsupportedCommand for a program or construct that is not modelled. */
export const runScript = async (
  port: ShellPort,
  { text, parameters = [], input, out, err }: ScriptInput,
): Promise<number> => {
  const shell = createShell(port, { input, out, err }, parameters)
  const code = await runToEnd(shell, () => runText(shell, text, shell.streams))
  const result = await runExitTrap(shell, code, TOOLS)
  await refuseLostJobs(shell)
  return result
}
