/** Runs a parsed script as /bin/sh does, with the programs that are modelled. */
import { sleep } from '#kit'
import { UnsupportedCommand } from '#spec'
import { runBuiltIn } from './built-ins.ts'
import { type Expansion, expandText, expandWord } from './expand-words.ts'
import type { AndOr, Command, Pipeline, Redirection, Script, SimpleCommand, Word } from './script-tree.ts'
import {
  createShell,
  LoopJump,
  parameterValue,
  type ScriptOptions,
  type Shell,
  ShellExit,
  type Streams,
  type Write,
} from './shell-state.ts'

/** Commands that one script may run, so that an endless loop ends. */
const MAX_COMMANDS = 20_000

const discard: Write = () => {}

/** Collects output. */
const createCollector = (): { write: Write; text(): string } => {
  const parts: string[] = []
  return { write: (text) => void parts.push(text), text: () => parts.join('') }
}

const expansionFor = (shell: Shell, streams: Streams): Expansion => ({
  valueOf: (name) => parameterValue(shell, name),
  async capture(script) {
    const output = createCollector()
    shell.lastCode = await runSubshell(shell, script, { ...streams, out: output.write })
    return output.text()
  },
})

const expandWords = async (words: readonly Word[], expansion: Expansion): Promise<string[]> => {
  const expanded: string[] = []
  for (const word of words) expanded.push(...(await expandWord(word, expansion)))
  return expanded
}

const redirect = async (
  redirections: readonly Redirection[],
  streams: Streams,
  expansion: Expansion,
): Promise<Streams> => {
  let { input, out, err } = streams
  for (const { from, to } of redirections) {
    if (to !== 'discard' && 'input' in to) input = { text: await expandText(to.input, expansion) }
    else {
      const target: Write = to === 'discard' ? discard : to.descriptor === 1 ? out : err
      if (from === 1) out = target
      else if (from === 2) err = target
      else throw new UnsupportedCommand(`the descriptor ${from} in a script`)
    }
  }
  return { input, out, err }
}

const runProgram = (
  { options }: Shell,
  name: string,
  args: readonly string[],
  { input, out, err }: Streams,
): Promise<number> => {
  const { api, discovery, clock, namespace, signal } = options
  return options.findProgram(name)({
    api,
    discovery,
    clock,
    namespace,
    signal,
    args,
    // A program that does not read its input leaves it for `read`.
    get stdin() {
      const { text } = input
      input.text = ''
      return text
    },
    out,
    err,
    async sleep(milliseconds) {
      signal.throwIfAborted()
      await sleep(clock, milliseconds)
      signal.throwIfAborted()
    },
  })
}

const runSimple = async (shell: Shell, command: SimpleCommand, streams: Streams): Promise<number> => {
  shell.commands += 1
  if (shell.commands > MAX_COMMANDS)
    throw new UnsupportedCommand(`a script of more than ${MAX_COMMANDS} commands`)
  shell.options.signal.throwIfAborted()
  const expansion = expansionFor(shell, streams)
  const [name, ...args] = await expandWords(command.words, expansion)
  const redirected = await redirect(command.redirections, streams, expansion)
  if (name === undefined) {
    // The status is that of the last substitution.
    shell.lastCode = 0
    for (const assignment of command.assignments)
      shell.variables.set(assignment.name, await expandText(assignment.value, expansion))
    return shell.lastCode
  }
  const [assignment] = command.assignments
  if (assignment !== undefined)
    throw new UnsupportedCommand(`the variable ${assignment.name} for one command`)
  return runBuiltIn(shell, name, args, redirected) ?? runProgram(shell, name, args, redirected)
}

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
    if (!(error instanceof LoopJump)) throw error
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
  while (await hasNext()) {
    const result = await runBody(shell, body, streams)
    if (result === undefined) return 0
    code = result
  }
  return code
}

const runCompound = async (
  shell: Shell,
  command: Exclude<Command, SimpleCommand>,
  outer: Streams,
): Promise<number> => {
  const streams = await redirect(command.redirections, outer, expansionFor(shell, outer))
  switch (command.type) {
    case 'group':
      return runList(shell, command.body, streams)
    case 'subshell':
      return runSubshell(shell, command.body, streams)
    case 'if':
      for (const { condition, body } of command.branches)
        if (await isTrue(shell, condition, streams)) return runList(shell, body, streams)
      return command.otherwise === undefined ? 0 : runList(shell, command.otherwise, streams)
    case 'for': {
      const values = await expandWords(command.words, expansionFor(shell, streams))
      return runLoop(shell, command.body, streams, async () => {
        const value = values.shift()
        if (value === undefined) return false
        shell.variables.set(command.variable, value)
        return true
      })
    }
    default:
      return runLoop(
        shell,
        command.body,
        streams,
        async () => (await isTrue(shell, command.condition, streams)) === (command.type === 'while'),
      )
  }
}

const runCommand = (shell: Shell, command: Command, streams: Streams): Promise<number> =>
  command.type === 'simple' ? runSimple(shell, command, streams) : runCompound(shell, command, streams)

/** Changes of variables and options do not leave a subshell. */
const runSubshell = async (shell: Shell, script: Script, streams: Streams): Promise<number> => {
  const { variables, exitsOnError } = shell
  const saved = [...variables]
  try {
    return await runList(shell, script, streams)
  } catch (error) {
    if (error instanceof ShellExit) return error.code
    throw error
  } finally {
    variables.clear()
    for (const [name, value] of saved) variables.set(name, value)
    shell.exitsOnError = exitsOnError
  }
}

/** Runs the programs one after another, because none of them runs endlessly. The status is that of the last one. */
const runPipe = async (shell: Shell, commands: readonly Command[], streams: Streams): Promise<number> => {
  let { input } = streams
  let code = 0
  for (const [index, command] of commands.entries()) {
    const output = createCollector()
    const isLast = index === commands.length - 1
    code = await runSubshell(shell, [{ first: { isNegated: false, commands: [command] }, rest: [] }], {
      input,
      out: isLast ? streams.out : output.write,
      err: streams.err,
    })
    input = { text: output.text() }
  }
  return code
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
  for (const part of script) code = await runAndOr(shell, part, streams)
  return code
}

/** Returns the exit code. Throws UnsupportedCommand for a program or construct that is not modelled. */
export const runScript = async (
  options: ScriptOptions,
  script: Script,
  stdin: string,
  { out, err }: Pick<Streams, 'out' | 'err'>,
): Promise<number> => {
  try {
    return await runList(createShell(options), script, { input: { text: stdin }, out, err })
  } catch (error) {
    if (error instanceof ShellExit) return error.code
    if (error instanceof LoopJump) throw new UnsupportedCommand(`${error.type} outside a loop`)
    throw error
  }
}
