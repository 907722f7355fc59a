/** Counts the commands of a script: they take CPU time, or their number is limited. */
import { UnsupportedCommand } from '#spec'
import type { Shell } from './shell-state.ts'

/** Commands that a script may run without waiting, so that an endless loop ends. */
const MAX_COMMANDS = 20_000

/** Commands of the shell per millisecond of CPU time. */
const COMMANDS_PER_MS = 20

export const countCommand = async ({ port, progress }: Shell): Promise<void> => {
  progress.commands += 1
  if (port.use === undefined) {
    if (progress.commands > MAX_COMMANDS)
      throw new UnsupportedCommand(`a script of more than ${MAX_COMMANDS} commands`)
  } else if (progress.commands % COMMANDS_PER_MS === 0) await port.use(1)
  port.signal?.throwIfAborted()
}
