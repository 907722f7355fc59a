/** The programs that every image has. */
import type { SimulatedProgram } from '#spec'
import { dd } from './files/dd.ts'
import { filePrograms } from './files/file-programs.ts'
import { networkPrograms } from './network/network-programs.ts'
import { type PodProgram, toSimulatedProgram } from './pod-program.ts'
import { processPrograms } from './processes/process-programs.ts'
import { refusedPrograms } from './processes/refused-programs.ts'
import { simplePrograms } from './processes/simple-programs.ts'
import { createShellProgram } from './shell-program.ts'
import { textPrograms } from './text/text-programs.ts'

const PROGRAMS: Readonly<Record<string, PodProgram>> = {
  ...refusedPrograms,
  ...filePrograms,
  ...networkPrograms,
  ...processPrograms,
  ...simplePrograms,
  ...textPrograms,
  dd,
}

const SHELLS = ['sh', 'bash', 'dash']

/** The path that `command -v` prints; undefined if there is no such program. */
const find = (name: string): string | undefined => {
  const bare = name.replace(/^\/(?:usr\/)?bin\//, '')
  if (!Object.hasOwn(PROGRAMS, bare) && !SHELLS.includes(bare) && bare !== 'which') return undefined
  return name.startsWith('/') ? name : `/usr/bin/${name}`
}

const which: PodProgram = ({ args, out }) => {
  let code = 0
  for (const name of args) {
    const path = find(name)
    if (path === undefined) code = 1
    else out(`${path}\n`)
  }
  return code
}

/** By their names. */
export const everydayPrograms: Readonly<Record<string, SimulatedProgram>> = {
  ...Object.fromEntries(
    Object.entries({ ...PROGRAMS, which }).map(([name, program]) => [
      name,
      toSimulatedProgram(name, program),
    ]),
  ),
  bash: createShellProgram('bash', find),
  dash: createShellProgram('sh', find),
  sh: createShellProgram('sh', find),
}
