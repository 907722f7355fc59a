/** A pod template by which the pods of a service find a wrong address for an upstream, or none at all. */
import {
  defineTemplateFault,
  isByName,
  isEditable,
  neededEdges,
  podSpecOf,
  restartTheUpstream,
  servicesOf,
} from '../../fault-parts/index.ts'
import type { FaultCase, FaultTarget, SystemView } from '../../spec/index.ts'

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

export const fault = defineTemplateFault({
  name: 'dns-misdirected',
  about: 'The pods of a service find a wrong address, or none, for the name of an upstream',
  category: 'network-loss',
  layer: 'network',
  type: 'misconfiguration',
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
    const {
      hostAliases = [],
      dnsConfig = {},
      dnsPolicy,
    } = podSpecOf(workload) as {
      hostAliases?: readonly unknown[]
      dnsConfig?: { nameservers?: readonly string[] }
      dnsPolicy?: string
    }
    return {
      hosts: hostAliases,
      nameservers: dnsConfig?.nameservers ?? [],
      policy: dnsPolicy ?? 'ClusterFirst',
    }
  },
  hacks: [restartTheUpstream],
})
