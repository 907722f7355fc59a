import { describe, expect, it } from 'vitest'
import { resolvText } from './pod-etc.ts'

const GIVEN = 'search shop.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n'

describe('resolv.conf', () => {
  it("is the network's where the pod says nothing", () => {
    expect(resolvText(GIVEN, 'ClusterFirst')).toBe(GIVEN)
  })

  it('has what the pod adds, and its options instead of those given', () => {
    const config = {
      nameservers: ['10.0.0.1', '10.96.0.10'],
      searches: ['example.test'],
      options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
    }
    expect(resolvText(GIVEN, 'ClusterFirst', config)).toBe(
      'search shop.svc.cluster.local svc.cluster.local example.test\nnameserver 10.96.0.10\nnameserver 10.0.0.1\noptions ndots:2 edns0\n',
    )
  })

  it('has nothing else under the policy None', () => {
    expect(resolvText(GIVEN, 'None', { nameservers: ['10.0.0.1'] })).toBe('nameserver 10.0.0.1\n')
  })
})
