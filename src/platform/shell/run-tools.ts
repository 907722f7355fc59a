/** The parts of the shell that run commands inside of other commands. */
import type { BuiltInTools } from './built-ins/built-in.ts'
import type { Expansion } from './expand-text.ts'
import type { Shell, Streams } from './shell-state.ts'
import type { Command, Script } from './syntax/script-tree.ts'

export interface RunTools extends BuiltInTools {
  readonly expansionFor: (shell: Shell, streams: Streams) => Expansion
  readonly runCommand: (shell: Shell, command: Command, streams: Streams) => Promise<number>
  /** `streams` are those of the surrounding command; `exec` can change those of the shell. */
  readonly runList: (shell: Shell, script: Script, streams: Streams) => Promise<number>
  /** Returns the code of the script, also if it exits. */
  readonly runSubshell: (shell: Shell, script: Script, streams: Streams) => Promise<number>
}
