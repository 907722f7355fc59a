/** Tests the resolv.conf of a pod. */
import { describe, expect, it } from 'vitest'
import { resolvText } from './pod-etc.ts'

const NETWORK_RESOLV_CONF =
  'search shop.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n'

describe('resolv.conf', () => {
  it("is the network's by default", () => {
    expect(resolvText(NETWORK_RESOLV_CONF, 'ClusterFirst')).toBe(NETWORK_RESOLV_CONF)
  })

  it('includes the dnsConfig of the pod, whose options take precedence', () => {
    const config = {
      nameservers: ['10.0.0.1', '10.96.0.10'],
      searches: ['example.test'],
      options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
    }
    expect(resolvText(NETWORK_RESOLV_CONF, 'ClusterFirst', config)).toBe(
      'search shop.svc.cluster.local svc.cluster.local example.test\nnameserver 10.96.0.10\nnameserver 10.0.0.1\noptions ndots:2 edns0\n',
    )
  })

  it('includes only the dnsConfig under the policy None', () => {
    expect(resolvText(NETWORK_RESOLV_CONF, 'None', { nameservers: ['10.0.0.1'] })).toBe(
      'nameserver 10.0.0.1\n',
    )
  })
})
