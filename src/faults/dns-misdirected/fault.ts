/** A pod template by which the pods of a service find a wrong address for an upstream, or none at all. */
import { isDeepStrictEqual } from 'node:util'
import {
  defineTemplateFault,
  isByName,
  isEditable,
  isMissing,
  neededEdges,
  podSpecOf,
  restartTheUpstream,
  servicesOf,
  workloadIn,
} from '../../fault-parts/index.ts'
import {
  type ApiObject,
  defineFault,
  type FaultCase,
  type FaultContext,
  type FaultTarget,
  type Scene,
  type SystemView,
} from '../../spec/index.ts'

/** Where an old resolver of the company was: nobody is there. */
const DEAD_NAMESERVER = '10.96.255.53'
/** What a developer wrote for tests on a machine of their own. */
const OWN_MACHINE = '127.0.0.1'

/** Every name by which the pods of the upstream are reached. */
const namesOf = (system: SystemView, upstream: unknown): readonly string[] =>
  servicesOf(system, String(upstream)).flatMap(({ metadata: { name } }) => [
    name,
    `${name}.${system.namespace}.svc.cluster.local`,
  ])

const edit = ({ system, target, params }: FaultCase): object =>
  params.by === 'nameserver'
    ? {
        dnsPolicy: 'None',
        dnsConfig: {
          nameservers: [DEAD_NAMESERVER],
          options: [
            { name: 'timeout', value: '1' },
            { name: 'attempts', value: '1' },
          ],
        },
      }
    : { hostAliases: [{ ip: OWN_MACHINE, hostnames: namesOf(system, target.upstream) }] }

const undo = ({ params }: FaultCase): object =>
  params.by === 'nameserver'
    ? { dnsPolicy: 'ClusterFirst', dnsConfig: null }
    : { hostAliases: [{ ip: OWN_MACHINE, $patch: 'delete' }] }

const targets = (system: SystemView): readonly FaultTarget[] =>
  neededEdges(system)
    .filter((edge) => isByName(system, edge) && isEditable(system.workloadOf(edge.from)))
    .filter(({ to }) => namesOf(system, to).length > 0)
    .map(({ from, to }) => ({ service: from, upstream: to }))

interface Naming {
  readonly hosts: readonly unknown[]
  readonly nameservers: readonly string[]
  readonly searches: readonly string[]
  readonly policy: string
}

const namingOf = (workload: ApiObject): Naming => {
  const { hostAliases, dnsConfig, dnsPolicy } = podSpecOf(workload) as {
    hostAliases?: Naming['hosts']
    dnsConfig?: { nameservers?: readonly string[]; searches?: readonly string[] }
    dnsPolicy?: string
  }
  return {
    hosts: hostAliases ?? [],
    nameservers: dnsConfig?.nameservers ?? [],
    searches: dnsConfig?.searches ?? [],
    policy: dnsPolicy ?? 'ClusterFirst',
  }
}

/** Where the DNS of the cluster is asked; unknown where it has another name. */
const addressOfDns = async ({ api }: FaultContext): Promise<string | undefined> => {
  const ref = { apiVersion: 'v1', plural: 'services', namespace: 'kube-system', name: 'kube-dns' }
  const found = await api.get(ref).catch((error) => {
    if (isMissing(error)) return undefined
    throw error
  })
  return (found?.spec as { clusterIP?: string } | undefined)?.clusterIP
}

/** Whether the template says itself what the policy of the cluster would: whom to ask, and where short names are at home. */
const saysTheSame = ({ system, target, baseline, now, state }: Scene): boolean => {
  const [before, after] = [baseline, now].map((objects) =>
    workloadIn(objects, system.workloadOf(target.service)),
  )
  if (before === undefined || after === undefined || state.dns === undefined) return false
  const { hosts, nameservers, searches, policy } = namingOf(after)
  return (
    isDeepStrictEqual(hosts, namingOf(before).hosts) &&
    policy === 'None' &&
    nameservers.every((one) => one === state.dns) &&
    nameservers.length > 0 &&
    searches.includes(`${system.namespace}.svc.cluster.local`)
  )
}

const edited = defineTemplateFault({
  name: 'dns-misdirected',
  about: 'The pods of a service find a wrong address, or none, for the name of an upstream',
  category: 'network-loss',
  layer: 'network',
  type: 'misconfiguration',
  otherLayers: ['virtualisation'],
  parameters: {
    by: {
      type: 'choice',
      about: 'What misleads them: an entry in their hosts file, or a nameserver that does not answer',
      choices: ['hosts', 'nameserver'],
      default: 'hosts',
    },
  },
  symptoms: [
    'one caller does not reach an upstream that others reach',
    'in its pods a name leads elsewhere than in the pods of others, or nowhere',
  ],
  targets,
  edit,
  undo,
  fixName: 'Let its pods ask the DNS of the cluster, and nobody else',
  look(workload) {
    const { hosts, nameservers, policy } = namingOf(workload)
    return { hosts, nameservers, policy }
  },
  isRight: (_now, scene) => saysTheSame(scene),
  hacks: [restartTheUpstream],
})

/** Remembers who is to be asked, which no object of the system tells. */
export const fault = defineFault({
  ...edited,
  async inject(context) {
    const dns = await addressOfDns(context)
    const state = await edited.inject(context)
    return dns === undefined ? state : { ...state, dns }
  },
})
