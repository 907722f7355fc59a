/** The list of programs for processes. */
import type { PodProgram } from '../pod-program.ts'
import { ps } from './ps.ts'
import { replacingPrograms } from './replacing-programs.ts'
import { settingsPrograms } from './settings-programs.ts'
import { signalPrograms } from './signal-programs.ts'
import { timedPrograms } from './timed-programs.ts'
import { xargs } from './xargs.ts'

export const processPrograms: Readonly<Record<string, PodProgram>> = {
  ...replacingPrograms,
  ...settingsPrograms,
  ...signalPrograms,
  ...timedPrograms,
  ps,
  xargs,
}
