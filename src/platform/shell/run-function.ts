/** Runs functions with their own parameters and local variables. */
import type { RunTools } from './run-tools.ts'
import { restoreVariables, type Shell, ShellJump, type Streams } from './shell-state.ts'
import type { Command } from './syntax/script-tree.ts'

export const runFunction = async (
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
