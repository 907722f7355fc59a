/** Fault: a database accepts fewer connections than its clients hold. */
import {
  liveCallers,
  patchTarget,
  patchTask,
  replacePods,
  toPlaybook,
  variablesIn,
  withDeployedVariables,
  withVariables,
  workloadIn,
  workloadRef,
} from '#exam/fault-parts'
import { defineFault, type FaultCase, type FaultContext, type ObjectsView, type SystemView } from '#spec'

/** Each client keeps at least one connection, so a target needs more clients than the limit allows connections. */
const MIN_CLIENTS = 8

/** During a rollout a client has two pods. */
const PODS_PER_CLIENT = 2
/** A higher limit exceeds what the server can handle. */
const MAX_LIMIT_FACTOR = 10

const LIMIT_EXPRESSION = /get\(env, "(\w+)", "(\d+)"\)/

/** The variable that sets the maximum number of connections, and its default. */
const limitOf = (
  system: SystemView,
  service: string,
): { variable: string; defaultLimit: number } | undefined => {
  const [, variable, defaultLimit] =
    LIMIT_EXPRESSION.exec(system.topology?.services[service]?.behaviour.store?.maxConnections ?? '') ?? []
  return variable === undefined ? undefined : { variable, defaultLimit: Number(defaultLimit) }
}

const isTarget = (system: SystemView, service: string): boolean =>
  limitOf(system, service) !== undefined &&
  system.callersOf(service).length >= MIN_CLIENTS &&
  system.impactOf(service).down.length > 0

const withLimit = (faultCase: FaultCase, connections: number): object => ({
  template: {
    spec: withVariables(faultCase, {
      [limitOf(faultCase.system, faultCase.target.service)!.variable]: String(connections),
    }),
  },
})

const withDeployedLimit = (faultCase: FaultCase): object => ({
  template: {
    spec: withDeployedVariables(faultCase, [limitOf(faultCase.system, faultCase.target.service)!.variable]),
  },
})

/** Replaces all pods at once: a StatefulSet would replace them one by one, and the leader last. */
const restartWith = async (context: FaultContext, spec: object): Promise<void> => {
  await context.api.patch(workloadRef(context.system, context.target.service), 'strategic', { spec })
  await replacePods(context, context.target.service)
}

const connectionsIn = (objects: ObjectsView, faultCase: FaultCase): number => {
  const { system, target } = faultCase
  const workload = workloadIn(objects, system.workloadOf(target.service))
  if (workload === undefined) return 0
  const { variable, defaultLimit } = limitOf(system, target.service)!
  const value = variablesIn(workload, faultCase, { names: [variable], objects })[variable]
  return value === null ? defaultLimit : Number(value)
}

export const fault = defineFault({
  name: 'pool-too-small',
  about: 'A database accepts fewer connections than the services that share it need',
  category: 'pod-config-error',
  layer: 'middleware',
  type: 'capacity-shortage',
  otherTypes: ['misconfiguration'],
  binding: 'cause',
  parameters: {
    connections: {
      type: 'integer',
      about: 'The maximum number of connections',
      min: 2,
      max: 6,
      default: 4,
    },
  },
  symptoms: [
    'logs of many services report too many connections',
    'some services are served and others are not, depending on which connected first',
  ],
  targets: (system) =>
    system.workloads.filter(({ service }) => isTarget(system, service)).map(({ service }) => ({ service })),
  async inject(context) {
    const { connections } = context.params
    await restartWith(context, withLimit(context, Number(connections)))
    return { connections }
  },
  recover: (context) => restartWith(context, withDeployedLimit(context)),
  isGone(snapshot) {
    const [before, now] = [snapshot.baseline, snapshot.now].map((objects) => connectionsIn(objects, snapshot))
    const clients = snapshot.system.callersOf(snapshot.target.service).length
    return {
      holds: now! >= Math.min(before!, clients * PODS_PER_CLIENT) && now! <= before! * MAX_LIMIT_FACTOR,
      evidence: `${snapshot.target.service} accepts ${now} connections (${before} before the fault), and ${clients} services use it`,
    }
  },
  // Clients that were rejected may be restarted.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
  fix: (faultCase) =>
    toPlaybook(`Restore the number of connections of ${faultCase.target.service}`, [
      patchTask(
        'Remove the limit of connections',
        faultCase.system,
        faultCase.system.workloadOf(faultCase.target.service),
        withDeployedLimit(faultCase),
      ),
    ]),
  hacks: [
    {
      name: 'restart-the-target',
      about: 'Deletes the pods of the database and keeps its template',
      act: (context) => replacePods(context, context.target.service),
    },
    {
      name: 'allow-one-more-connection',
      about: 'Allows one more connection',
      async act(context) {
        await patchTarget(context, withLimit(context, Number(context.params.connections) + 1))
      },
    },
    {
      name: 'restart-a-client',
      about: 'Deletes the pods of one client of the store',
      act: (context) => replacePods(context, context.system.callersOf(context.target.service)[0]!),
    },
  ],
})
