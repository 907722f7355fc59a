/** A NetworkPolicy that shuts out those who need a service. */
import {
  deleteTask,
  ignoreMissing,
  isEditable,
  liveCallers,
  liveEdges,
  mayAskNames,
  mayReach,
  neededCallers,
  replacePods,
  restartTheTarget,
  toPlaybook,
} from '../../fault-parts/index.ts'
import {
  defineFault,
  type FaultCase,
  type FaultTarget,
  type ObjectsView,
  type Scene,
} from '../../spec/index.ts'

const nameOf = ({ service }: FaultTarget): string => `${service}-ingress`

const policiesOf = ({ system }: Pick<FaultCase, 'system'>) => ({
  apiVersion: 'networking.k8s.io/v1',
  plural: 'networkpolicies',
  namespace: system.namespace,
})

/** Nobody, or only pods with a label that the callers were never given. */
const toIngress = ({ target, params }: FaultCase): readonly object[] =>
  params.admits === 'nobody'
    ? []
    : [{ from: [{ podSelector: { matchLabels: { [`${target.service}-client`]: 'true' } } }] }]

/** Who does not get through whom nothing kept back before the fault; also where users can do without for a while. */
const shutOut = ({ system, baseline, now }: Scene): readonly string[] => {
  const isShut = (may: (objects: ObjectsView) => boolean): boolean => may(baseline) && !may(now)
  const calls = liveEdges(system)
    .filter(({ from, to }) => isShut((objects) => mayReach(objects, system, from, to)))
    .map(({ from, to }) => `${from} from ${to}`)
  const names = system.workloads
    .filter(({ service }) => isShut((objects) => mayAskNames(objects, system, service)))
    .map(({ service }) => `${service} from the DNS`)
  return [...calls, ...names]
}

export const fault = defineFault({
  name: 'network-policy-denies',
  about: 'A NetworkPolicy keeps those who need a service from reaching it',
  category: 'network-loss',
  layer: 'network',
  type: 'misconfiguration',
  otherTypes: ['network-storage-issue'],
  binding: 'cause',
  parameters: {
    admits: {
      type: 'choice',
      about: 'Whom the policy lets in: nobody, or only pods with a label that callers do not have',
      choices: ['nobody', 'labelled'],
      default: 'nobody',
    },
  },
  shapes: ['sudden', 'transient'],
  symptoms: [
    'connections to the service are never answered, while its pods are ready',
    'a policy selects its pods since the trouble began',
  ],
  targets: (system) =>
    system.workloads
      .filter((workload) => isEditable(workload) && neededCallers(system, workload.service).length > 0)
      .map(({ service }) => ({ service })),
  async inject(context) {
    const { api, system, target } = context
    const policy = nameOf(target)
    await api.create(policiesOf(context), {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: policy, namespace: system.namespace },
      spec: {
        podSelector: { matchLabels: { app: target.service } },
        policyTypes: ['Ingress'],
        ingress: toIngress(context),
      },
    })
    return { policy }
  },
  async recover(context) {
    await ignoreMissing(context.api.delete({ ...policiesOf(context), name: nameOf(context.target) }))
  },
  isGone(scene) {
    const shut = shutOut(scene)
    return {
      holds: shut.length === 0,
      evidence: `policies keep ${shut.length === 0 ? 'nobody from whom he calls' : shut.slice(0, 5).join(', ')}`,
    }
  },
  // All of them must get through again, and may be given the label for it.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
  fix: ({ system, state }) =>
    toPlaybook('Take the policy away', [
      deleteTask('Delete the policy that shuts callers out', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        namespace: system.namespace,
        name: String(state.policy),
      }),
    ]),
  hacks: [
    restartTheTarget,
    {
      name: 'restart-callers',
      about: 'Replaces the pods of those who are shut out',
      async act(context) {
        for (const caller of neededCallers(context.system, context.target.service))
          await replacePods(context, caller)
      },
    },
    {
      name: 'shut-it-in',
      about: 'Turns the policy around, so that it keeps the service from reaching anybody',
      async act({ api, system, state }) {
        await api.patch({ ...policiesOf({ system }), name: String(state.policy) }, 'merge', {
          spec: { policyTypes: ['Egress'], ingress: null, egress: [] },
        })
      },
    },
    {
      name: 'allow-on-another-port',
      about: 'Adds a policy that lets callers in, on a port where nobody listens',
      async act({ api, system, target }) {
        await api.create(policiesOf({ system }), {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'NetworkPolicy',
          metadata: { name: `${target.service}-admin`, namespace: system.namespace },
          spec: {
            podSelector: { matchLabels: { app: target.service } },
            policyTypes: ['Ingress'],
            ingress: [{ ports: [{ port: 1 }] }],
          },
        })
      },
    },
  ],
})
