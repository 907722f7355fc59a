/** Tests the resolv.conf of pods for each DNS policy. */
import type { Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { resolvConfOf } from './resolv-conf.ts'

const fileOf = (spec: Partial<PodSpec>): string =>
  resolvConfOf({
    metadata: { namespace: 'shop', name: 'web' },
    spec: { containers: [], ...spec },
  } as Stored<Pod>)

const CLUSTER_FILE =
  'search shop.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n'
const NODE_FILE = 'nameserver 172.18.0.1\n'

describe('resolvConfOf', () => {
  it.each<[Partial<PodSpec>, string]>([
    [{}, CLUSTER_FILE],
    [{ dnsPolicy: 'ClusterFirst' }, CLUSTER_FILE],
    [{ dnsPolicy: 'ClusterFirst', hostNetwork: true }, NODE_FILE],
    [{ dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }, CLUSTER_FILE],
    [{ dnsPolicy: 'Default' }, NODE_FILE],
    [{ dnsPolicy: 'None', dnsConfig: { nameservers: ['192.0.2.1'] } }, 'nameserver 192.0.2.1\n'],
  ])('follows the DNS policy of %j', (spec, file) => {
    expect(fileOf(spec)).toBe(file)
  })

  it('appends dnsConfig, whose options take precedence', () => {
    const dnsConfig = {
      nameservers: ['192.0.2.1', '10.96.0.10', '192.0.2.2', '192.0.2.3'],
      searches: ['example.org', 'cluster.local'],
      options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
    }
    expect(fileOf({ dnsConfig }).split('\n')).toEqual([
      'search shop.svc.cluster.local svc.cluster.local cluster.local example.org',
      'nameserver 10.96.0.10',
      'nameserver 192.0.2.1',
      'nameserver 192.0.2.2',
      'options ndots:2 edns0',
      '',
    ])
  })
})
