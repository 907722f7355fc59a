/** Tests NetworkPolicies. */
import type { NetworkPolicy, NetworkPolicySpec } from 'kubernetes-types/networking/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { networkPolicies } from './network-policy.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: '', kind: '', metadata }

describe('NetworkPolicy', () => {
  const policy = (spec: Partial<NetworkPolicySpec>): Stored<NetworkPolicy> => {
    const draft: Stored<NetworkPolicy> = { ...base, spec: { podSelector: {}, ...spec } }
    networkPolicies.defaults!(draft)
    return draft
  }

  it('sets default policy types and protocols', () => {
    expect(policy({}).spec.policyTypes).toEqual(['Ingress'])
    const { spec } = policy({ egress: [{ ports: [{ port: 53 }] }] })
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress'])
    expect(spec.egress![0]!.ports![0]!.protocol).toBe('TCP')
  })

  it.each<[Partial<NetworkPolicySpec>, string[]]>([
    [{ ingress: [{ from: [{}] }] }, ['spec.ingress[0].from[0]: Required value: must specify a peer']],
    [
      { egress: [{ to: [{ ipBlock: { cidr: 'x' } }] }] },
      [
        'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
    ],
    [
      { egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '11.0.0.0/16'] } }] }] },
      [
        'spec.egress[0].to[0].ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
      ],
    ],
    [
      { ingress: [{ ports: [{ port: 90, endPort: 80 }] }] },
      ['spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`'],
    ],
    [
      { policyTypes: ['Sideways'] },
      ['spec.policyTypes[0]: Unsupported value: "Sideways": supported values: "Egress", "Ingress"'],
    ],
  ])('validates %j', (spec, expected) => {
    expect(errorTexts(networkPolicies.validate!(policy(spec), undefined))).toEqual(expected)
  })
})
