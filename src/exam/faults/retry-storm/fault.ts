/** Fault: calls time out too early and are retried too often. */
import {
  addReplica,
  defineTemplateFault,
  essentialWorkloads,
  parseNumber,
  patchTarget,
  readsVariable,
  variablesIn,
  withDeployedVariables,
  withVariables,
} from '#exam/fault-parts'
import type { Hack } from '#spec'

const TIMEOUT_VARIABLE = 'GRPC_TIMEOUT'
const RETRIES_VARIABLE = 'GRPC_RETRIES'
/** The defaults of the programs; the timeout is in seconds. */
const DEFAULTS = { timeout: 10, retries: 0 }
/** The range of accepted timeouts: longer than healthy calls take, and at most as long as users wait. */
const [MIN_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS] = [1, 60]
const MAX_RETRIES = 3

const retryMore: Hack = {
  name: 'retry-more',
  about: 'Doubles the number of retries',
  act: async (context) => {
    const retries = String(2 * Number(context.params.retries))
    await patchTarget(context, {
      template: { spec: withVariables(context, { [RETRIES_VARIABLE]: retries }) },
    })
  },
}

export const fault = defineTemplateFault({
  name: 'retry-storm',
  about:
    'Calls of a service time out after a few milliseconds and are retried many times, which overloads its upstreams',
  category: 'cpu-stress',
  layer: 'application',
  type: 'misconfiguration',
  parameters: {
    timeout: {
      type: 'integer',
      about: 'The timeout of a call',
      min: 1,
      max: 2,
      default: 2,
      unit: 'ms',
    },
    // More retries would overload the whole machine, including the solver.
    retries: { type: 'integer', about: 'The number of retries', min: 8, max: 16, default: 12 },
  },
  impactOnceReady: () => 'either',
  symptoms: [
    'upstreams receive many times as many requests as users send',
    'the caller reports timeouts, and its upstreams do not',
    'the CPU usage of the upstreams is much higher than before',
  ],
  targets: (system) =>
    essentialWorkloads(system)
      .filter(({ service }) => readsVariable(system, service, RETRIES_VARIABLE))
      .map(({ service }) => ({ service })),
  edit: (faultCase) =>
    withVariables(faultCase, {
      [TIMEOUT_VARIABLE]: String(Number(faultCase.params.timeout) / 1000),
      [RETRIES_VARIABLE]: String(faultCase.params.retries),
    }),
  undo: (faultCase) => withDeployedVariables(faultCase, [TIMEOUT_VARIABLE, RETRIES_VARIABLE]),
  taskName: 'Restore the timeout and the retries',
  read: (workload, faultCase, objects) =>
    variablesIn(workload, faultCase, { names: [TIMEOUT_VARIABLE, RETRIES_VARIABLE], objects }),
  // A sufficient timeout with few retries overloads no upstream.
  isAccepted: (variables) => {
    const values = variables as Readonly<Record<string, unknown>>
    const timeout = parseNumber(values[TIMEOUT_VARIABLE], DEFAULTS.timeout)
    const retries = parseNumber(values[RETRIES_VARIABLE], DEFAULTS.retries)
    const isSufficient = timeout >= MIN_TIMEOUT_SECONDS && timeout <= MAX_TIMEOUT_SECONDS
    return isSufficient && Number.isInteger(retries) && retries <= MAX_RETRIES
  },
  hacks: [addReplica, retryMore],
})
