/** A database that takes fewer connections than the pools of its clients hold. */
import {
  changeStore,
  execTask,
  leadingPod,
  replacePods,
  runInStore,
  shellCommand,
  toPlaybook,
} from '../../fault-parts/index.ts'
import { defineFault, type FaultCase, type SystemView } from '../../spec/index.ts'

/** Two services have their pools nearly full with one connection each: it must be less than there are. */
const LEAST_CLIENTS = 8

const setTo = ({ system, target }: FaultCase, connections: number): readonly string[] =>
  shellCommand(system, target.service, `SET GLOBAL max_connections = ${connections}`)

const usual = ({ system, target }: FaultCase): number => {
  const { maxConnections = '151' } = system.topology?.services[target.service]?.behaviour.store ?? {}
  return Number(/(\d+)\D*$/.exec(maxConnections)?.[1] ?? 151)
}

const isTarget = (system: SystemView, service: string): boolean =>
  system.topology?.services[service]?.behaviour.wire === 'mysql' &&
  system.callersOf(service).length >= LEAST_CLIENTS &&
  system.impactOf(service).down.length > 0

/** Idle connections would hide it until they are closed. */
const cutAll = async (context: Parameters<typeof runInStore>[0], store: string): Promise<void> => {
  const list = shellCommand(context.system, store, 'SHOW PROCESSLIST')
  const { stdout } = await runInStore(context, store, list)
  const ids = stdout
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([id, user]) => /^\d+$/.test(id ?? '') && user !== 'root' && !user!.startsWith('qc_'))
    .map(([id]) => `KILL ${id}`)
  if (ids.length > 0) await changeStore(context, store, shellCommand(context.system, store, ids.join('; ')))
}

export const fault = defineFault({
  name: 'pool-too-small',
  about: 'A database takes only a few connections, fewer than the pools of the services that share it hold',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'capacity-shortage',
  binding: 'cause',
  parameters: {
    connections: { type: 'integer', about: 'How many it takes', least: 2, most: 8, default: 4 },
  },
  symptoms: [
    'logs of many services say that there are too many connections',
    'some requests are served and others are not, by who came first',
  ],
  targets: (system) =>
    system.workloads.filter(({ service }) => isTarget(system, service)).map(({ service }) => ({ service })),
  async inject(context) {
    const { target, params } = context
    await changeStore(context, target.service, setTo(context, Number(params.connections)))
    await cutAll(context, target.service)
    return { pod: await leadingPod(context, target.service) }
  },
  async recover(context) {
    await changeStore(context, context.target.service, setTo(context, usual(context)))
  },
  async probe(context) {
    const { system, target } = context
    const ask = shellCommand(system, target.service, 'SELECT @@max_connections')
    const { stdout } = await runInStore(context, target.service, ask).catch(() => ({ stdout: '' }))
    return { connections: Number(stdout.trim()) || 0 }
  },
  isGone({ system, target, facts }) {
    const has = Number(facts.connections ?? 0)
    const wanted = system.callersOf(target.service).length
    return {
      holds: has >= wanted,
      evidence: `${target.service} takes ${has} connections, and ${wanted} services use it`,
    }
  },
  fix: ({ state, ...about }) =>
    toPlaybook('Let the database take as many connections as before', [
      execTask(
        'Raise the bound',
        about.system,
        about.target.service,
        String(state.pod),
        setTo(about, usual(about)),
      ),
    ]),
  hacks: [
    {
      name: 'cut-connections',
      about: 'Ends all connections, so that others may come',
      act: (context) => cutAll(context, context.target.service),
    },
    {
      name: 'one-more',
      about: 'Lets one more in',
      act: (context) =>
        changeStore(context, context.target.service, setTo(context, Number(context.params.connections) + 1)),
    },
    {
      name: 'restart-a-client',
      about: 'Deletes the pods of one of those who use the store',
      act: (context) => replacePods(context, context.system.callersOf(context.target.service)[0]!),
    },
  ],
})
