/** Runs compound commands: groups, conditions, loops and `case`. */
import { countCommand } from './count-command.ts'
import { expandPattern, expandText } from './expand-text.ts'
import { expandWords } from './expand-words.ts'
import type { RunTools } from './run-tools.ts'
import { type Shell, ShellJump, type Streams, setVariable } from './shell-state.ts'
import type { Command, Script, SimpleCommand } from './syntax/script-tree.ts'

const isTrue = async (shell: Shell, script: Script, streams: Streams, tools: RunTools): Promise<boolean> => {
  shell.conditions += 1
  try {
    return (await tools.runList(shell, script, streams)) === 0
  } finally {
    shell.conditions -= 1
  }
}

/** Runs the body of a loop once. Returns undefined if it ends the loop. */
const runBody = async (
  shell: Shell,
  body: Script,
  streams: Streams,
  tools: RunTools,
): Promise<number | undefined> => {
  try {
    return await tools.runList(shell, body, streams)
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
  tools: RunTools,
  hasNext: () => Promise<boolean>,
): Promise<number> => {
  let code = 0
  shell.loops += 1
  try {
    while (await hasNext()) {
      await countCommand(shell)
      const result = await runBody(shell, body, streams, tools)
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
  tools: RunTools,
): Promise<number> => {
  const expansion = tools.expansionFor(shell, streams)
  const text = await expandText(command.word, expansion)
  for (const { patterns, body } of command.branches)
    for (const pattern of patterns)
      if ((await expandPattern(pattern, expansion))(text)) return tools.runList(shell, body, streams)
  return 0
}

const runFor = async (
  shell: Shell,
  { words, variable, body }: Extract<Command, { type: 'for' }>,
  streams: Streams,
  tools: RunTools,
): Promise<number> => {
  const values =
    words === undefined ? [...shell.parameters] : await expandWords(words, tools.expansionFor(shell, streams))
  return runLoop(shell, body, streams, tools, async () => {
    const value = values.shift()
    if (value === undefined) return false
    setVariable(shell, variable, value)
    return true
  })
}

export const runCompound = async (
  shell: Shell,
  command: Exclude<Command, SimpleCommand>,
  streams: Streams,
  tools: RunTools,
): Promise<number> => {
  switch (command.type) {
    case 'group':
      return tools.runList(shell, command.body, streams)
    case 'subshell':
      return tools.runSubshell(shell, command.body, streams)
    case 'function':
      shell.functions.set(command.name, command.body)
      return 0
    case 'if':
      for (const { condition, body } of command.branches)
        if (await isTrue(shell, condition, streams, tools)) return tools.runList(shell, body, streams)
      return command.otherwise === undefined ? 0 : tools.runList(shell, command.otherwise, streams)
    case 'case':
      return runCase(shell, command, streams, tools)
    case 'for':
      return runFor(shell, command, streams, tools)
    default:
      return runLoop(
        shell,
        command.body,
        streams,
        tools,
        async () => (await isTrue(shell, command.condition, streams, tools)) === (command.type === 'while'),
      )
  }
}
