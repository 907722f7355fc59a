/** Repairs of a command that state explicitly what the container runs. */
import { deployedCommand, mainContainer, patchTarget } from '#exam/fault-parts'
import type { RightRepair } from './right-repair.ts'

const FAULTS = ['command-wrong'] as const

const setCommand = (
  name: string,
  about: string,
  toCommand: (program: readonly string[]) => readonly string[],
  fits: RightRepair['fits'] = () => true,
): RightRepair => ({
  name,
  about,
  faults: FAULTS,
  fits,
  async act(context) {
    const { system, target } = context
    const container = mainContainer(system, target.service).name
    const command = toCommand(deployedCommand(system, target.service))
    await patchTarget(context, { template: { spec: { containers: [{ name: container, command }] } } })
  },
})

export const COMMANDS: readonly RightRepair[] = [
  setCommand(
    'state-the-command-of-the-image',
    'Sets the former command, or in full the one that the image runs by default',
    (program) => program,
  ),
  setCommand(
    'start-the-command-from-a-shell',
    'Starts the former command from a shell, which it replaces',
    (program) => ['sh', '-c', `exec ${program.join(' ')}`],
    // The shell would not pass the arguments of the container on.
    ({ system, target }) => mainContainer(system, target.service).args === undefined,
  ),
  setCommand(
    'state-the-folder-of-the-shell',
    'Sets the former command with the full path of its shell',
    ([, ...words]) => ['/bin/sh', ...words],
    ({ system, target }) => mainContainer(system, target.service).command?.[0] === 'sh',
  ),
]
