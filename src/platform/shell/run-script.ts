/** Runs a script as /bin/sh does, with the programs and files of a port. */
import { UnsupportedCommand } from '#spec'
import { type Expansion, expandPattern, expandText } from './expand-words.ts'
import { closeSinks, redirect } from './redirect.ts'
import { countCommand, expandWords, type RunTools, runSimple, runWords } from './run-command.ts'
import { endsWithShell, startJob } from './run-jobs.ts'
import type { ShellPort, Write } from './shell-port.ts'
import {
  createShell,
  createSubshell,
  type Shell,
  ShellExit,
  ShellJump,
  type Streams,
  setVariable,
} from './shell-state.ts'
import { parseScript } from './syntax/parse-script.ts'
import type { AndOr, Command, Pipeline, Script, SimpleCommand } from './syntax/script-tree.ts'

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

const isTrue = async (shell: Shell, script: Script, streams: Streams): Promise<boolean> => {
  shell.conditions += 1
  try {
    return (await runList(shell, script, streams)) === 0
  } finally {
    shell.conditions -= 1
  }
}

/** Runs the body of a loop once. Returns undefined if it ends the loop. */
const runBody = async (shell: Shell, body: Script, streams: Streams): Promise<number | undefined> => {
  try {
    return await runList(shell, body, streams)
  } catch (error) {
    if (!(error instanceof ShellJump) || error.type === 'return') throw error
    if (error.number > 1) throw new ShellJump(error.type, error.number - 1)
    return error.type === 'continue' ? 0 : undefined
  }
}

const runLoop = async (
  shell: Shell,
  body: Script,
  streams: Streams,
  hasNext: () => Promise<boolean>,
): Promise<number> => {
  let code = 0
  shell.loops += 1
  try {
    while (await hasNext()) {
      await countCommand(shell)
      const result = await runBody(shell, body, streams)
      if (result === undefined) return 0
      code = result
    }
  } finally {
    shell.loops -= 1
  }
  return code
}

const runCase = async (
  shell: Shell,
  command: Extract<Command, { type: 'case' }>,
  streams: Streams,
): Promise<number> => {
  const expansion = expansionFor(shell, streams)
  const text = await expandText(command.word, expansion)
  for (const { patterns, body } of command.branches)
    for (const pattern of patterns)
      if ((await expandPattern(pattern, expansion))(text)) return runList(shell, body, streams)
  return 0
}

const runFor = async (
  shell: Shell,
  { words, variable, body }: Extract<Command, { type: 'for' }>,
  streams: Streams,
): Promise<number> => {
  const values =
    words === undefined ? [...shell.parameters] : await expandWords(words, expansionFor(shell, streams))
  return runLoop(shell, body, streams, async () => {
    const value = values.shift()
    if (value === undefined) return false
    setVariable(shell, variable, value)
    return true
  })
}

const runCompound = async (
  shell: Shell,
  command: Exclude<Command, SimpleCommand>,
  streams: Streams,
): Promise<number> => {
  switch (command.type) {
    case 'group':
      return runList(shell, command.body, streams)
    case 'subshell':
      return runSubshell(shell, command.body, streams)
    case 'function':
      shell.functions.set(command.name, command.body)
      return 0
    case 'if':
      for (const { condition, body } of command.branches)
        if (await isTrue(shell, condition, streams)) return runList(shell, body, streams)
      return command.otherwise === undefined ? 0 : runList(shell, command.otherwise, streams)
    case 'case':
      return runCase(shell, command, streams)
    case 'for':
      return runFor(shell, command, streams)
    default:
      return runLoop(
        shell,
        command.body,
        streams,
        async () => (await isTrue(shell, command.condition, streams)) === (command.type === 'while'),
      )
  }
}

const runCommand = async (shell: Shell, command: Command, streams: Streams): Promise<number> => {
  if (command.type === 'simple') return runSimple(shell, command, streams, TOOLS)
  const expansion = expansionFor(shell, streams)
  const redirected = await redirect(shell, command.redirections, streams, expansion)
  if (redirected === undefined) return 2
  let code = 1
  try {
    code = await runCompound(shell, command, redirected.streams)
  } finally {
    code = await closeSinks(redirected.sinks, code, streams, shell.port.name)
  }
  return code
}

/** Returns the code of the script, also if it exits. */
const runSubshell = async (shell: Shell, script: Script, streams: Streams): Promise<number> => {
  const subshell = createSubshell(shell, streams)
  const code = await runToEnd(subshell, () => runList(subshell, script, streams))
  return runExitTrap(subshell, code)
}

const runToEnd = async (shell: Shell, run: () => Promise<number>): Promise<number> => {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ShellExit) return error.code
    if (error instanceof ShellJump) return error.type === 'return' ? error.number : shell.lastCode
    throw error
  }
}

const runExitTrap = async (shell: Shell, code: number): Promise<number> => {
  const action = shell.traps.get('EXIT')
  if (action === undefined) return code
  shell.traps.delete('EXIT')
  shell.lastCode = code
  return runToEnd(shell, async () => {
    await runText(shell, action, shell.streams)
    return code
  })
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

const ENDLESS = /^(?:yes|watch|tail (?:.* )?(?:-\w*[fF]|--follow).*)\b/

/** A program that does not end by itself would end by a broken pipe. */
const refuseEndless = (command: Command): void => {
  if (command.type !== 'simple') return
  const text = command.words
    .map((word) => word.map((part) => (part.type === 'text' ? part.text : '')).join(''))
    .join(' ')
  if (ENDLESS.test(text)) throw new UnsupportedCommand(`${text} in a pipeline`)
}

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
    await handleSignals(shell)
    if (shell.lastCode !== 0 && shell.exitsOnError && shell.conditions === 0 && !isCondition)
      throw new ShellExit(shell.lastCode)
    return shell.lastCode
  }
  let code = await runPart(first, rest.length === 0)
  for (const [index, { operator, pipeline }] of rest.entries())
    if ((code === 0) === (operator === '&&')) code = await runPart(pipeline, index === rest.length - 1)
  return code
}

/** Runs the traps of the signals that arrived during a command. */
const handleSignals = async (shell: Shell): Promise<void> => {
  if (shell.isSubshell) return
  for (
    let name = shell.progress.received.shift();
    name !== undefined;
    name = shell.progress.received.shift()
  ) {
    const action = shell.traps.get(name)
    // Without a trap, the signal ends the shell.
    if (action === undefined) throw new ShellExit(128 + 15)
    const { lastCode } = shell
    await runText(shell, action, shell.streams)
    shell.lastCode = lastCode
  }
}

/** `streams` are those of the surrounding command; `exec` can change those of the shell. */
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
  const result = await runExitTrap(shell, code)
  await refuseLostJobs(shell)
  return result
}

/** Commands in the background that are no processes would end with the shell. */
const refuseLostJobs = async ({ jobs, port }: Shell): Promise<void> => {
  if (port.processes === undefined || port.processes.id === 1) return
  for (const [id, job] of jobs) {
    if (!endsWithShell(id)) continue
    const state = await Promise.race([job.then(() => 'ended'), Promise.resolve('running')])
    if (state === 'running')
      throw new UnsupportedCommand('commands in the background after the end of the shell')
  }
}
