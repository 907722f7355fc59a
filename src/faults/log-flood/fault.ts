/** A log level that was meant for a minute. */
import {
  defineTemplateFault,
  hasMount,
  limitOf,
  missedWorkloads,
  patchTarget,
  readsVariable,
  variablesIn,
  withDeployedVariables,
  withVariables,
} from '../../fault-parts/index.ts'
import type { Hack, SystemView, WorkloadView } from '../../spec/index.ts'

const LEVEL = 'LOG_LEVEL'
/** Where programs have their logs beside what they say on stdout. */
const LOGS = '/var/log/mysql'
/** Cores. */
const MOST_CPU = 0.2

/** On most pages, more than once, with little CPU: what a dump costs is lost among the rest elsewhere. */
const isAskedMuch = (system: SystemView, workload: WorkloadView): boolean =>
  system.impactOf(workload.service).slow.length > system.journeys.length / 2 &&
  system.impactOf(workload.service).starved.length > 0 &&
  limitOf(workload, 'cpu') <= MOST_CPU

const emptyTheLog: Hack = {
  name: 'empty-the-log',
  about: 'Empties the log, which fills again',
  act: async ({ api, system, target, signal }) => {
    const { items } = await api.list(
      { apiVersion: 'v1', plural: 'pods', namespace: system.namespace },
      { labelSelector: `app=${target.service}` },
    )
    for (const { metadata } of items)
      await api.exec(
        { namespace: system.namespace, name: metadata.name },
        ['sh', '-c', `: > ${LOGS}/trace.log`],
        { signal },
      )
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
  // What is not said is "info", and whoever says it has mended it too.
  isRight: (variables) =>
    String((variables as Readonly<Record<string, unknown>>)[LEVEL]).toLowerCase() === 'info',
  hacks: [emptyTheLog, alsoTrace],
})
