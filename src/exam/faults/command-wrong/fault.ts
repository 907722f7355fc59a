/** Fault: the command of a container is not in its image. */
import {
  addReplica,
  containerIn,
  defineTemplateFault,
  deployedCommandLine,
  mainContainer,
  mainContainerIn,
  patchTarget,
} from '#exam/fault-parts'
import { type CauseSnapshot, type FaultCase, type Hack, JUDGING_RULES } from '#spec'
import { isSameCommand } from './is-same-command.ts'

const PROGRAMS: Readonly<Record<string, string>> = {
  script: '/usr/local/bin/docker-start.sh',
  application: '/opt/app/bin/server',
  module: '/srv/service/main',
}

const withCommand = ({ system, target }: FaultCase, command: unknown): object => ({
  containers: [{ name: mainContainer(system, target.service).name, command }],
})

/** The first version of the rules in which the command must run the former program, without a wrapper. */
const RULES_WITHOUT_WRAPPERS = 5

const toList = (command: unknown): readonly string[] => (Array.isArray(command) ? command : [])

/** Accepts the command of the image, by omission or in full, and other forms of the former command. */
const isRightCommand = (
  now: unknown,
  { system, target, params, baseline, rules = JUDGING_RULES }: CauseSnapshot,
): boolean => {
  const command = toList(now)
  if (rules < RULES_WITHOUT_WRAPPERS) return !command.includes(PROGRAMS[params.program!]!)
  const { name, image } = mainContainer(system, target.service)
  const former = containerIn(baseline, system.workloadOf(target.service), name)
  const rightCommands = [toList(former?.command), system.entrypointOf?.(former?.image ?? image ?? '') ?? []]
  return command.length === 0 || rightCommands.some((right) => isSameCommand(command, right))
}

const replaceCommandWithSleep: Hack = {
  name: 'replace-the-command-with-sleep',
  about: 'Replaces the command with sleep, so that the container runs but does not serve',
  async act(context) {
    await patchTarget(context, { template: { spec: withCommand(context, ['sh', '-c', 'sleep 3600']) } })
  },
}

const wrapCommand = (name: string, about: string, toScript: (program: string) => string): Hack => ({
  name,
  about,
  async act(context) {
    const program = deployedCommandLine(context.system, context.target.service)
    // The arguments of the container follow.
    const command = ['sh', '-c', toScript(`${program} "$@"`), 'sh']
    await patchTarget(context, { template: { spec: withCommand(context, command) } })
  },
})

export const fault = defineTemplateFault({
  name: 'command-wrong',
  about: 'A workload starts its container with a program that is not in the image',
  category: 'pod-config-error',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherTypes: ['dependency-problem'],
  parameters: {
    program: {
      type: 'choice',
      about: 'The missing program',
      choices: Object.keys(PROGRAMS),
      default: 'script',
    },
  },
  impactOnceReady: () => 'never-ready',
  symptoms: ['containers cannot be started because the program is missing', 'the service has no endpoints'],
  edit: (faultCase) => withCommand(faultCase, [PROGRAMS[faultCase.params.program!]]),
  // Without a former command, the field is removed so that the command of the image runs.
  undo: (faultCase) =>
    withCommand(faultCase, mainContainer(faultCase.system, faultCase.target.service).command ?? null),
  taskName: 'Restore the command',
  read: (workload, faultCase) => mainContainerIn(workload, faultCase)?.command,
  isAccepted: isRightCommand,
  hacks: [
    addReplica,
    replaceCommandWithSleep,
    wrapCommand(
      'start-the-program-under-a-limit',
      'Starts the right program from a shell that limits its files and processes',
      (program) => `ulimit -n 512; exec ${program}`,
    ),
    wrapCommand(
      'refuse-a-second-start',
      'Starts the right program from a shell that refuses to start it again in the same pod',
      (program) => `mkdir /dev/shm/started || exit 1; exec ${program}`,
    ),
  ],
})
