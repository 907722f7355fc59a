/** A command that is not in the image. */
import {
  addReplica,
  defineTemplateFault,
  mainContainer,
  patchTarget,
  podSpecOf,
} from '../../fault-parts/index.ts'
import type { FaultCase, Hack } from '../../spec/index.ts'

const PROGRAMS: Readonly<Record<string, string>> = {
  script: '/usr/local/bin/docker-start.sh',
  application: '/opt/app/bin/server',
  module: '/srv/service/main',
}

const withCommand = ({ system, target }: FaultCase, command: unknown): object => ({
  containers: [{ name: mainContainer(system, target.service).name, command }],
})

const asList = (command: unknown): readonly unknown[] => (Array.isArray(command) ? command : [])

const sleepInstead: Hack = {
  name: 'sleep-instead',
  about: 'Makes the container run by sleeping, so that it is running at least',
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
      about: 'What it is told to start',
      choices: Object.keys(PROGRAMS),
      default: 'script',
    },
  },
  symptoms: ['containers cannot be started, for want of the program', 'the service has no endpoints'],
  edit: (about) => withCommand(about, [PROGRAMS[about.params.program!]]),
  // Where the image's own command ran, the field must go.
  undo: (about) => withCommand(about, mainContainer(about.system, about.target.service).command ?? null),
  fixName: 'Set the command that it had',
  look: (workload, { system, target }) =>
    podSpecOf(workload).containers.find(({ name }) => name === mainContainer(system, target.service).name)
      ?.command,
  // The same program has several names, and may be the image's own; whether it serves, users tell.
  isRight: (now, { params }) => !asList(now).includes(PROGRAMS[params.program!]),
  hacks: [addReplica, sleepInstead],
})
