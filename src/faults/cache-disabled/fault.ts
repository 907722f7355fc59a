/** A cache that keeps nothing. */
import {
  addReplica,
  defineTemplateFault,
  missedWorkloads,
  numberSaid,
  readsVariable,
  replacePods,
  variablesIn,
  withDeployedVariables,
  withVariables,
} from '../../fault-parts/index.ts'
import { defineFault, type Hack, type SystemView } from '../../spec/index.ts'

const TTL = 'MEMC_TTL'

/** From a month on memcached takes a time for a date, and this one is long past: `ms` is a mistake of the unit. */
const VALUES: Readonly<Record<string, string>> = { ms: '3600000', never: '-1' }
const MONTH_SECONDS = 30 * 24 * 3600
/** Seconds: what is kept so long is asked for many times meanwhile. */
const LEAST_SECONDS = 60
/** What nobody says is as long as there is room. */
const FOR_EVER = 0

/** Behind the cache is a store that has to read. */
const isSlowBehind = (system: SystemView, service: string): boolean =>
  Object.keys(system.topology?.services[service]?.behaviour.upstreams ?? {}).some(
    (upstream) => system.topology?.services[upstream]?.behaviour.store?.readMs !== undefined,
  )

const waitLess: Hack = {
  name: 'wait-less',
  about: 'Waits less long for the cache',
  act: async ({ api, system, target }) => {
    const { name, podSpec } = system.workloadOf(target.service)
    const container = podSpec.containers[0]!.name
    await api.patch(
      { apiVersion: 'apps/v1', plural: 'deployments', namespace: system.namespace, name },
      'strategic',
      {
        spec: {
          template: {
            spec: { containers: [{ name: container, env: [{ name: 'MEMC_TIMEOUT', value: '1' }] }] },
          },
        },
      },
    )
  },
}

const edited = defineTemplateFault({
  name: 'cache-disabled',
  about:
    'A service tells its cache to forget everything at once, so each request goes to the store behind it',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'misconfiguration',
  otherLayers: ['application'],
  parameters: {
    mistake: {
      type: 'choice',
      about: 'How the time to live is wrong',
      choices: Object.keys(VALUES),
      default: 'ms',
    },
  },
  symptoms: [
    'the store behind the cache gets many more searches than before',
    'the cache is well, and nothing that is asked for is in it',
    'answers come later',
  ],
  targets: (system) =>
    missedWorkloads(system)
      .filter(({ service }) => readsVariable(system, service, TTL) && isSlowBehind(system, service))
      .map(({ service }) => ({ service })),
  edit: (about) => withVariables(about, { [TTL]: VALUES[String(about.params.mistake)]! }),
  undo: (about) => withDeployedVariables(about, [TTL]),
  fixName: 'Set the time to live that it had',
  look: (workload, about) => variablesIn(workload, about, [TTL]),
  isRight: (variables) => {
    const seconds = numberSaid((variables as Readonly<Record<string, unknown>>)[TTL], FOR_EVER)
    const isSpan = seconds >= LEAST_SECONDS && seconds <= MONTH_SECONDS
    return Number.isInteger(seconds) && (seconds === FOR_EVER || isSpan)
  },
  hacks: [addReplica, waitLess],
})

const cachesOf = (system: SystemView, service: string): readonly string[] =>
  system.edges
    .filter(
      ({ from, to }) => from === service && system.topology?.services[to]?.behaviour.wire === 'memcached',
    )
    .map(({ to }) => to)

/** What the cache still has would hide it for as long as it was told to keep it. */
export const fault = defineFault({
  ...edited,
  async inject(context) {
    const state = await edited.inject(context)
    for (const cache of cachesOf(context.system, context.target.service)) await replacePods(context, cache)
    return state
  },
})
