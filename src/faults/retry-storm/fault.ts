/** Calls that are given up too soon and tried again too often. */
import {
  addReplica,
  defineTemplateFault,
  missedWorkloads,
  numberSaid,
  patchTarget,
  readsVariable,
  variablesIn,
  withDeployedVariables,
  withVariables,
} from '../../fault-parts/index.ts'
import type { Hack } from '../../spec/index.ts'

const TIMEOUT = 'GRPC_TIMEOUT'
const RETRIES = 'GRPC_RETRIES'
/** Seconds, and times: what the programs take where nobody says it. */
const UNSAID = { timeout: 10, retries: 0 }
/** Seconds: healthy calls are answered much sooner, and users have gone away long before. */
const [LEAST_TIMEOUT, MOST_TIMEOUT] = [1, 60]
const MOST_RETRIES = 3

const retryMore: Hack = {
  name: 'retry-more',
  about: 'Tries again twice as often',
  act: async (context) => {
    const retries = String(2 * Number(context.params.retries))
    await patchTarget(context, { template: { spec: withVariables(context, { [RETRIES]: retries }) } })
  },
}

export const fault = defineTemplateFault({
  name: 'retry-storm',
  about:
    'A service gives its calls up after a few milliseconds and tries them again and again, and so buries those it calls',
  category: 'cpu-stress',
  layer: 'application',
  type: 'misconfiguration',
  parameters: {
    timeout: {
      type: 'integer',
      about: 'How long a call may take',
      least: 1,
      most: 2,
      default: 2,
      unit: 'ms',
    },
    // More of them would take the whole machine, and with it whoever comes to mend it.
    retries: { type: 'integer', about: 'How often it is tried again', least: 8, most: 16, default: 12 },
  },
  symptoms: [
    'those who are called get many times as many requests as users make',
    'the caller counts timeouts, and those who are called do not',
    'their CPU is much higher than before',
  ],
  targets: (system) =>
    missedWorkloads(system)
      .filter(({ service }) => readsVariable(system, service, RETRIES))
      .map(({ service }) => ({ service })),
  edit: (about) =>
    withVariables(about, {
      [TIMEOUT]: String(Number(about.params.timeout) / 1000),
      [RETRIES]: String(about.params.retries),
    }),
  undo: (about) => withDeployedVariables(about, [TIMEOUT, RETRIES]),
  fixName: 'Set timeout and retries as they were',
  look: (workload, about) => variablesIn(workload, about, [TIMEOUT, RETRIES]),
  // Calls that have time, and are hardly ever tried again, bury nobody.
  isRight: (variables) => {
    const said = variables as Readonly<Record<string, unknown>>
    const timeout = numberSaid(said[TIMEOUT], UNSAID.timeout)
    const retries = numberSaid(said[RETRIES], UNSAID.retries)
    const isPatient = timeout >= LEAST_TIMEOUT && timeout <= MOST_TIMEOUT
    return isPatient && Number.isInteger(retries) && retries <= MOST_RETRIES
  },
  hacks: [addReplica, retryMore],
})
