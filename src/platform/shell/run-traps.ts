/** Runs the traps of the shell: at its end, and for signals. */
import type { BuiltInTools } from './built-ins/built-in.ts'
import { type Shell, ShellExit, ShellJump } from './shell-state.ts'

/** Returns the code, also if the shell exits. */
export const runToEnd = async (shell: Shell, run: () => Promise<number>): Promise<number> => {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ShellExit) return error.code
    if (error instanceof ShellJump) return error.type === 'return' ? error.number : shell.lastCode
    throw error
  }
}

export const runExitTrap = async (shell: Shell, code: number, { runText }: BuiltInTools): Promise<number> => {
  const action = shell.traps.get('EXIT')
  if (action === undefined) return code
  shell.traps.delete('EXIT')
  shell.lastCode = code
  return runToEnd(shell, async () => {
    await runText(shell, action, shell.streams)
    return code
  })
}

/** Runs the traps of the signals that arrived during a command. */
export const handleSignals = async (shell: Shell, { runText }: BuiltInTools): Promise<void> => {
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
