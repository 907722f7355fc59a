/** A database that takes fewer connections than the pools of its clients hold. */
import {
  liveCallers,
  mainContainer,
  patchTarget,
  patchTask,
  podSpecOf,
  replacePods,
  toPlaybook,
  withDeployedVariables,
  withVariables,
  workloadIn,
  workloadRef,
} from '../../fault-parts/index.ts'
import {
  defineFault,
  type FaultCase,
  type FaultContext,
  type ObjectsView,
  type SystemView,
} from '../../spec/index.ts'

/** Clients keep a connection each once they have got it: it must be less than there are clients. */
const LEAST_CLIENTS = 8

/** While a client is rolled out there are two of it. */
const ROLLOUT = 2
/** More of them no server of its size could serve. */
const MOST_TIMES = 10

const BOUND = /get\(env, "(\w+)", "(\d+)"\)/

/** The variable that says how many connections the store takes, and how many it takes without. */
const boundOf = (system: SystemView, service: string): { variable: string; usual: number } | undefined => {
  const [, variable, usual] =
    BOUND.exec(system.topology?.services[service]?.behaviour.store?.maxConnections ?? '') ?? []
  return variable === undefined ? undefined : { variable, usual: Number(usual) }
}

const isTarget = (system: SystemView, service: string): boolean =>
  boundOf(system, service) !== undefined &&
  system.callersOf(service).length >= LEAST_CLIENTS &&
  system.impactOf(service).down.length > 0

const withBound = (about: FaultCase, connections: number): object => ({
  template: {
    spec: withVariables(about, {
      [boundOf(about.system, about.target.service)!.variable]: String(connections),
    }),
  },
})

const asDeployed = (about: FaultCase): object => ({
  template: { spec: withDeployedVariables(about, [boundOf(about.system, about.target.service)!.variable]) },
})

/** All pods at once: a StatefulSet would take them one after the other, and the one that leads last. */
const startWith = async (context: FaultContext, spec: object): Promise<void> => {
  await context.api.patch(workloadRef(context.system, context.target.service), 'strategic', { spec })
  await replacePods(context, context.target.service)
}

const connectionsIn = (objects: ObjectsView, { system, target }: FaultCase): number => {
  const workload = workloadIn(objects, system.workloadOf(target.service))
  if (workload === undefined) return 0
  const { variable, usual } = boundOf(system, target.service)!
  const { name } = mainContainer(system, target.service)
  const container = podSpecOf(workload).containers.find((one) => one.name === name)
  return Number(container?.env?.findLast((one) => one.name === variable)?.value ?? usual)
}

export const fault = defineFault({
  name: 'pool-too-small',
  about: 'A database is started with a bound of few connections, fewer than the services that share it hold',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'capacity-shortage',
  otherTypes: ['misconfiguration'],
  binding: 'cause',
  parameters: {
    connections: { type: 'integer', about: 'How many it takes', least: 2, most: 6, default: 4 },
  },
  symptoms: [
    'logs of many services say that there are too many connections',
    'some requests are served and others are not, by who came first',
  ],
  targets: (system) =>
    system.workloads.filter(({ service }) => isTarget(system, service)).map(({ service }) => ({ service })),
  async inject(context) {
    const { connections } = context.params
    await startWith(context, withBound(context, Number(connections)))
    return { connections }
  },
  recover: (context) => startWith(context, asDeployed(context)),
  isGone(scene) {
    const [had, has] = [scene.baseline, scene.now].map((objects) => connectionsIn(objects, scene))
    const clients = scene.system.callersOf(scene.target.service).length
    return {
      holds: has! >= Math.min(had!, clients * ROLLOUT) && has! <= had! * MOST_TIMES,
      evidence: `${scene.target.service} may take ${has} connections of ${had}, and ${clients} services use it`,
    }
  },
  // Who was turned away may be started again.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
  fix: (about) =>
    toPlaybook(`Let ${about.target.service} take as many connections as before`, [
      patchTask(
        'Take the bound away',
        about.system,
        about.system.workloadOf(about.target.service),
        asDeployed(about),
      ),
    ]),
  hacks: [
    {
      name: 'restart-the-target',
      about: 'Deletes the pods of the database, whose template stays',
      act: (context) => replacePods(context, context.target.service),
    },
    {
      name: 'one-more',
      about: 'Lets one more in',
      async act(context) {
        await patchTarget(context, withBound(context, Number(context.params.connections) + 1))
      },
    },
    {
      name: 'restart-a-client',
      about: 'Deletes the pods of one of those who use the store',
      act: (context) => replacePods(context, context.system.callersOf(context.target.service)[0]!),
    },
  ],
})
