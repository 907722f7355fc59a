/** Repairs of a command that state explicitly what the container runs. */
import { deployedCommand, mainContainer, patchTarget } from '#exam/fault-parts'
import type { RightRepair } from './right-repair.ts'

const FAULTS = ['command-wrong'] as const

const setCommand = (
  name: string,
  about: string,
  toCommand: (program: readonly string[]) => readonly string[],
): RightRepair => ({
  name,
  about,
  faults: FAULTS,
  fits: ({ system, target }) => deployedCommand(system, target.service).length > 0,
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
  ),
]
