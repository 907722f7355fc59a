/** Fault: the command of a container is not in its image. */
import {
  addReplica,
  defineTemplateFault,
  mainContainer,
  mainContainerIn,
  patchTarget,
} from '#exam/fault-parts'
import type { FaultCase, Hack } from '#spec'

const PROGRAMS: Readonly<Record<string, string>> = {
  script: '/usr/local/bin/docker-start.sh',
  application: '/opt/app/bin/server',
  module: '/srv/service/main',
}

const withCommand = ({ system, target }: FaultCase, command: unknown): object => ({
  containers: [{ name: mainContainer(system, target.service).name, command }],
})

const toList = (command: unknown): readonly unknown[] => (Array.isArray(command) ? command : [])

const replaceCommandWithSleep: Hack = {
  name: 'replace-the-command-with-sleep',
  about: 'Replaces the command with sleep, so that the container runs but does not serve',
  async act(context) {
    await patchTarget(context, { template: { spec: withCommand(context, ['sh', '-c', 'sleep 3600']) } })
  },
}

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
  // Other commands may start the same program; the oracle `users-served` judges whether it serves.
  isAccepted: (now, { params }) => !toList(now).includes(PROGRAMS[params.program!]),
  hacks: [addReplica, replaceCommandWithSleep],
})
