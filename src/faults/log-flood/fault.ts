/** A log level that was meant for a minute. */
import {
  defineTemplateFault,
  hasMount,
  ignoreMissing,
  limitOf,
  missedWorkloads,
  patchTarget,
  podsOf,
  readsVariable,
  until,
  variablesIn,
  withDeployedVariables,
  withVariables,
} from '../../fault-parts/index.ts'
import type { ApiObject, Hack, SystemView, WorkloadView } from '../../spec/index.ts'

const LEVEL = 'LOG_LEVEL'
/** None of these is a flood, and all of them tell of what goes wrong; silence is no repair. */
const SOBER: readonly string[] = ['info', 'warn', 'warning', 'error']
/** Where programs have their logs beside what they say on stdout. */
const LOGS = '/var/log/mysql'
/** Cores. */
const MOST_CPU = 0.2

/** On most pages, more than once, with little CPU: what a dump costs is lost among the rest elsewhere. */
const isAskedMuch = (system: SystemView, workload: WorkloadView): boolean =>
  system.impactOf(workload.service).slow.length > system.journeys.length / 2 &&
  system.impactOf(workload.service).starved.length > 0 &&
  limitOf(workload, 'cpu') <= MOST_CPU

const isRunning = ({ status }: ApiObject): boolean => {
  const { containerStatuses = [] } = (status ?? {}) as {
    containerStatuses?: { state?: { running?: object } }[]
  }
  return containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.running !== undefined)
}

const emptyTheLog: Hack = {
  name: 'empty-the-log',
  about: 'Empties the log, which fills again',
  act: async (context) => {
    const { api, system, target, signal } = context
    const command = ['sh', '-c', `: > ${LOGS}/trace.log`]
    // They have come with the fault, and may still be starting.
    await until(context, `the pods of ${target.service} run`, async () =>
      (await podsOf(context, target.service)).every(isRunning),
    )
    for (const { metadata } of await podsOf(context, target.service))
      await ignoreMissing(api.exec({ namespace: system.namespace, name: metadata.name }, command, { signal }))
  },
}

const alsoTrace: Hack = {
  name: 'another-spelling',
  about: 'Writes the level in capitals',
  act: async (context) => {
    await patchTarget(context, { template: { spec: withVariables(context, { [LEVEL]: 'TRACE' }) } })
  },
}

export const fault = defineTemplateFault({
  name: 'log-flood',
  about:
    'A service logs at the level trace: every buffer of every request goes to its volume for logs before users are answered',
  category: 'disk-io',
  layer: 'application',
  type: 'misconfiguration',
  otherTypes: ['network-storage-issue'],
  parameters: {},
  symptoms: [
    'the volume for logs grows by megabytes a second',
    'the CPU of the pod is at its limit, and answers come late',
  ],
  targets: (system) =>
    missedWorkloads(system)
      .filter((one) => hasMount(one, LOGS) && readsVariable(system, one.service, LEVEL))
      .filter((one) => isAskedMuch(system, one))
      .map(({ service }) => ({ service })),
  edit: (about) => withVariables(about, { [LEVEL]: 'trace' }),
  undo: (about) => withDeployedVariables(about, [LEVEL]),
  fixName: 'Log as before',
  look: (workload, about) => variablesIn(workload, about, [LEVEL]),
  // What is not said is "info", and whoever says it, or wants to hear less, has mended it too.
  isRight: (variables) =>
    SOBER.includes(String((variables as Readonly<Record<string, unknown>>)[LEVEL]).toLowerCase()),
  hacks: [emptyTheLog, alsoTrace],
})
