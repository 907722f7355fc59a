/** Fault: the log level is trace. */
import {
  defineTemplateFault,
  essentialWorkloads,
  hasMount,
  ignoreMissing,
  limitOf,
  patchTarget,
  podsOf,
  readsVariable,
  variablesIn,
  waitUntil,
  withDeployedVariables,
  withVariables,
} from '#exam/fault-parts'
import { type ApiObject, type Hack, type SystemView, viewAs, type WorkloadView } from '#spec'

const LEVEL_VARIABLE = 'LOG_LEVEL'
/** Levels that report errors and do not flood the log. */
const ACCEPTED_LEVELS: readonly string[] = ['info', 'warn', 'warning', 'error']
const LOG_FOLDER = '/var/log/mysql'
const MAX_CPU_CORES = 0.2

/** Whether most journeys use the service and it has little CPU: elsewhere the cost of logging is not noticeable. */
const isBusy = (system: SystemView, workload: WorkloadView): boolean =>
  system.impactOf(workload.service).slow.length > system.journeys.length / 2 &&
  system.impactOf(workload.service).starved.length > 0 &&
  limitOf(workload, 'cpu') <= MAX_CPU_CORES

const isRunning = (pod: ApiObject): boolean => {
  const { containerStatuses = [] } = viewAs('Pod', pod).status ?? {}
  return containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.running !== undefined)
}

const emptyLog: Hack = {
  name: 'empty-the-log',
  about: 'Empties the log file, which fills up again',
  act: async (context) => {
    const { api, system, target, signal } = context
    const command = ['sh', '-c', `: > ${LOG_FOLDER}/trace.log`]
    // The fault replaced the pods; they may still be starting.
    await waitUntil(context, `the pods of ${target.service} run`, async () =>
      (await podsOf(context, target.service)).every(isRunning),
    )
    for (const { metadata } of await podsOf(context, target.service))
      await ignoreMissing(api.exec({ namespace: system.namespace, name: metadata.name }, command, { signal }))
  },
}

const setLevelInCapitals: Hack = {
  name: 'set-the-level-in-capitals',
  about: 'Sets the same level in capitals',
  act: async (context) => {
    await patchTarget(context, { template: { spec: withVariables(context, { [LEVEL_VARIABLE]: 'TRACE' }) } })
  },
}

export const fault = defineTemplateFault({
  name: 'log-flood',
  about:
    'A service logs at level trace: it writes every buffer of every request to its log volume before it responds',
  category: 'disk-io',
  layer: 'application',
  type: 'misconfiguration',
  otherTypes: ['network-storage-issue'],
  parameters: {},
  symptoms: [
    'the log volume grows by megabytes per second',
    'the CPU of the pod is at its limit, and responses are late',
  ],
  targets: (system) =>
    essentialWorkloads(system)
      .filter(
        (workload) =>
          hasMount(workload, LOG_FOLDER) && readsVariable(system, workload.service, LEVEL_VARIABLE),
      )
      .filter((workload) => isBusy(system, workload))
      .map(({ service }) => ({ service })),
  edit: (faultCase) => withVariables(faultCase, { [LEVEL_VARIABLE]: 'trace' }),
  undo: (faultCase) => withDeployedVariables(faultCase, [LEVEL_VARIABLE]),
  taskName: 'Restore the log level',
  read: (workload, faultCase, objects) =>
    variablesIn(workload, faultCase, { names: [LEVEL_VARIABLE], objects }),
  // The default is `info`; setting it, or a less verbose level, is also a correct fix.
  isAccepted: (variables) =>
    ACCEPTED_LEVELS.includes(
      String((variables as Readonly<Record<string, unknown>>)[LEVEL_VARIABLE]).toLowerCase(),
    ),
  hacks: [emptyLog, setLevelInCapitals],
})
