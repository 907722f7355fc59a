/** Fault: a wrong time to live disables a cache. */
import {
  addReplica,
  defineTemplateFault,
  essentialWorkloads,
  parseNumber,
  patchTarget,
  readsVariable,
  replacePods,
  variablesIn,
  withDeployedVariables,
  withVariables,
} from '#exam/fault-parts'
import { defineFault, type Hack, type SystemView } from '#spec'

const TTL_VARIABLE = 'MEMC_TTL'

/** memcached interprets a value above a month as a date: `ms`, with its wrong unit, is a date in the past. */
const VALUES: Readonly<Record<string, string>> = { ms: '3600000', never: '-1' }
const MONTH_SECONDS = 30 * 24 * 3600
/** The shortest accepted time to live: an entry is read many times before it expires. */
const MIN_SECONDS = 60
/** The default: entries do not expire. */
const NEVER_EXPIRES = 0

/** Whether the store behind the cache has slow reads. */
const hasSlowStore = (system: SystemView, service: string): boolean =>
  Object.keys(system.topology?.services[service]?.behaviour.upstreams ?? {}).some(
    (upstream) => system.topology?.services[upstream]?.behaviour.store?.readMs !== undefined,
  )

const lowerTimeout: Hack = {
  name: 'lower-the-cache-timeout',
  about: 'Lowers the timeout of the cache',
  act: async (context) => {
    await patchTarget(context, { template: { spec: withVariables(context, { MEMC_TIMEOUT: '1' }) } })
  },
}

const templateFault = defineTemplateFault({
  name: 'cache-disabled',
  about:
    'A service writes cache entries that expire at once, so that every request reaches the store behind the cache',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'misconfiguration',
  otherLayers: ['application'],
  parameters: {
    mistake: {
      type: 'choice',
      about: 'The mistake in the time to live',
      choices: Object.keys(VALUES),
      default: 'ms',
    },
  },
  impactOnceReady: () => 'slowness',
  symptoms: [
    'the store behind the cache receives many more queries than before',
    'the cache is healthy, but almost all lookups miss',
    'responses are slower',
  ],
  targets: (system) =>
    essentialWorkloads(system)
      .filter(({ service }) => readsVariable(system, service, TTL_VARIABLE) && hasSlowStore(system, service))
      .map(({ service }) => ({ service })),
  edit: (faultCase) =>
    withVariables(faultCase, { [TTL_VARIABLE]: VALUES[String(faultCase.params.mistake)]! }),
  undo: (faultCase) => withDeployedVariables(faultCase, [TTL_VARIABLE]),
  taskName: 'Restore the time to live',
  read: (workload, faultCase, objects) =>
    variablesIn(workload, faultCase, { names: [TTL_VARIABLE], objects }),
  isAccepted: (variables) => {
    const seconds = parseNumber((variables as Readonly<Record<string, unknown>>)[TTL_VARIABLE], NEVER_EXPIRES)
    const isReasonable = seconds >= MIN_SECONDS && seconds <= MONTH_SECONDS
    return Number.isInteger(seconds) && (seconds === NEVER_EXPIRES || isReasonable)
  },
  hacks: [addReplica, lowerTimeout],
})

const cachesOf = (system: SystemView, service: string): readonly string[] =>
  system.edges
    .filter(
      ({ from, to }) => from === service && system.topology?.services[to]?.behaviour.protocol === 'memcached',
    )
    .map(({ to }) => to)

/** Also restarts the caches: existing entries would hide the fault until they expire. */
export const fault = defineFault({
  ...templateFault,
  async inject(context) {
    const state = await templateFault.inject(context)
    for (const cache of cachesOf(context.system, context.target.service)) await replacePods(context, cache)
    return state
  },
})
