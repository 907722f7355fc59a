/** A command of the shell itself. */
import type { Shell, Streams } from '../shell-state.ts'

/** The functions of the shell that its commands use. */
export interface BuiltInTools {
  /** Runs a command as if the words were in the script; without functions, as `command` does. */
  runWords(shell: Shell, words: readonly string[], streams: Streams): Promise<number>
  runText(shell: Shell, text: string, streams: Streams): Promise<number>
}

export type BuiltIn = (
  shell: Shell,
  args: readonly string[],
  streams: Streams,
  tools: BuiltInTools,
) => number | Promise<number>
