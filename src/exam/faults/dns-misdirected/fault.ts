/** Fault: the pods of a service resolve the name of an upstream wrongly or not at all. */
import { isDeepStrictEqual } from 'node:util'
import { serviceAt } from '#exam/effects'
import {
  defineTemplateFault,
  isEditable,
  isResolvedByDns,
  neededEdges,
  podSpecOf,
  restartUpstream,
  servicesOf,
  workloadIn,
} from '#exam/fault-parts'
import {
  type ApiObject,
  type CauseSnapshot,
  defineFault,
  type FaultCase,
  type FaultContext,
  type FaultTarget,
  isNotFound,
  JUDGING_RULES,
  type PodSpecView,
  type SystemView,
  viewAs,
} from '#spec'

/** The address of a former resolver, which does not respond. */
const DEAD_NAMESERVER = '10.96.255.53'
/** Developers map names to this address for local tests. */
const LOCALHOST = '127.0.0.1'

/** All DNS names of the upstream. */
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
    : { hostAliases: [{ ip: LOCALHOST, hostnames: namesOf(system, target.upstream) }] }

const undo = ({ params }: FaultCase): object =>
  params.by === 'nameserver'
    ? { dnsPolicy: 'ClusterFirst', dnsConfig: null }
    : { hostAliases: [{ ip: LOCALHOST, $patch: 'delete' }] }

const targets = (system: SystemView): readonly FaultTarget[] =>
  neededEdges(system)
    .filter((edge) => isResolvedByDns(system, edge) && isEditable(system.workloadOf(edge.from)))
    .filter(({ to }) => namesOf(system, to).length > 0)
    .map(({ from, to }) => ({ service: from, upstream: to }))

interface NameResolution {
  readonly hosts: readonly HostAlias[]
  readonly nameservers: readonly string[]
  readonly searches: readonly string[]
  readonly policy: string
}

const nameResolutionOf = (workload: ApiObject): NameResolution => {
  const { hostAliases, dnsConfig, dnsPolicy } = podSpecOf(workload)
  return {
    hosts: hostAliases ?? [],
    nameservers: dnsConfig?.nameservers ?? [],
    searches: dnsConfig?.searches ?? [],
    policy: dnsPolicy ?? 'ClusterFirst',
  }
}

/** The address of the cluster DNS; undefined if its Service has another name. */
const clusterDnsAddress = async ({ api }: FaultContext): Promise<string | undefined> => {
  const ref = { apiVersion: 'v1', plural: 'services', namespace: 'kube-system', name: 'kube-dns' }
  const service = await api.get(ref).catch((error) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  return service && viewAs('Service', service).spec?.clusterIP
}

/** The first version of the rules that compares the addresses of host aliases with those of Services. */
const RULES_WITH_ADDRESSES = 7

type HostAlias = NonNullable<PodSpecView['hostAliases']>[number]

/** Whether the names lead to the same Service by the cluster DNS, which existed before the fault. */
const leadsToService = (
  { system, baseline, now }: CauseSnapshot,
  { ip, hostnames = [] }: HostAlias,
): boolean =>
  hostnames.length > 0 &&
  hostnames.every((hostname) => {
    const service = serviceAt(now, system.namespace, hostname)
    if (service === undefined || baseline.get('Service', service.name) === undefined) return false
    return service.spec.clusterIP === ip
  })

/** Whether all host aliases are former ones, or correct. */
const areHostsRight = (snapshot: CauseSnapshot, before: NameResolution, after: NameResolution): boolean => {
  if (isDeepStrictEqual(after.hosts, before.hosts)) return true
  if ((snapshot.rules ?? JUDGING_RULES) < RULES_WITH_ADDRESSES) return false
  const isFormer = (alias: HostAlias): boolean =>
    before.hosts.some((former) => isDeepStrictEqual(alias, former))
  return (
    before.hosts.every((former) => after.hosts.some((alias) => isDeepStrictEqual(alias, former))) &&
    after.hosts.every((alias) => isFormer(alias) || leadsToService(snapshot, alias))
  )
}

/** Whether an explicit configuration works like the cluster policy: same nameserver, and the namespace's search domain. */
const equalsClusterPolicy = (
  { system, state }: CauseSnapshot,
  { nameservers, searches, policy }: NameResolution,
): boolean =>
  state.dns !== undefined &&
  policy === 'None' &&
  nameservers.every((nameserver) => nameserver === state.dns) &&
  nameservers.length > 0 &&
  searches.includes(`${system.namespace}.svc.cluster.local`)

const isResolutionRight = (snapshot: CauseSnapshot): boolean => {
  const { system, target, baseline, now } = snapshot
  const [before, after] = [baseline, now].map((objects) => {
    const workload = workloadIn(objects, system.workloadOf(target.service))
    return workload && nameResolutionOf(workload)
  })
  if (before === undefined || after === undefined || !areHostsRight(snapshot, before, after)) return false
  const isFormer = after.policy === before.policy && isDeepStrictEqual(after.nameservers, before.nameservers)
  return isFormer || equalsClusterPolicy(snapshot, after)
}

const templateFault = defineTemplateFault({
  name: 'dns-misdirected',
  about: 'The pods of a service resolve the name of an upstream to a wrong address or not at all',
  category: 'network-loss',
  layer: 'network',
  type: 'misconfiguration',
  otherLayers: ['virtualisation'],
  parameters: {
    by: {
      type: 'choice',
      about: 'The cause: an entry in the hosts file, or a nameserver that does not respond',
      choices: ['hosts', 'nameserver'],
      default: 'hosts',
    },
  },
  symptoms: [
    'one caller cannot reach an upstream that others can',
    'in its pods a name resolves differently than in other pods, or not at all',
  ],
  targets,
  edit,
  undo,
  taskName: 'Use only the cluster DNS',
  read(workload) {
    const { hosts, nameservers, policy } = nameResolutionOf(workload)
    return { hosts, nameservers, policy }
  },
  isAccepted: (_now, snapshot) => isResolutionRight(snapshot),
  hacks: [restartUpstream],
})

/** Stores the address of the cluster DNS in its state, because no object of the system holds it. */
export const fault = defineFault({
  ...templateFault,
  async inject(context) {
    const dns = await clusterDnsAddress(context)
    const state = await templateFault.inject(context)
    return dns === undefined ? state : { ...state, dns }
  },
})
