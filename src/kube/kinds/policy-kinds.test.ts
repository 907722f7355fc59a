import type { LimitRange, LimitRangeItem, ResourceQuota } from 'kubernetes-types/core/v1.d.ts'
import type {
  Ingress,
  IngressSpec,
  NetworkPolicy,
  NetworkPolicySpec,
} from 'kubernetes-types/networking/v1.d.ts'
import type { ClusterRoleBinding, PolicyRule, Role } from 'kubernetes-types/rbac/v1.d.ts'
import type { PriorityClass } from 'kubernetes-types/scheduling/v1.d.ts'
import { describe, expect, it } from 'vitest'
import type { Stored } from '../meta/index.ts'
import { clusterRoleBindings } from './cluster-role-binding.ts'
import { ingresses } from './ingress.ts'
import { limitRanges } from './limit-range.ts'
import { networkPolicies } from './network-policy.ts'
import { priorityClasses } from './priority-class.ts'
import { resourceQuotas } from './resource-quota.ts'
import { roles } from './role.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: '', kind: '', metadata }
const texts = (errors: readonly { field: string; message: string }[] | undefined): string[] =>
  (errors ?? []).map(({ field, message }) => `${field}: ${message}`)

describe('NetworkPolicy', () => {
  const policy = (spec: Partial<NetworkPolicySpec>): Stored<NetworkPolicy> => {
    const draft: Stored<NetworkPolicy> = { ...base, spec: { podSelector: {}, ...spec } }
    networkPolicies.defaults!(draft)
    return draft
  }

  it('says which directions it is about', () => {
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
  ])('%j', (spec, expected) => {
    expect(texts(networkPolicies.validate!(policy(spec), undefined))).toEqual(expected)
  })
})

describe('Ingress', () => {
  const service = { service: { name: 'web', port: { number: 80 } } }
  const rule = (path: object): IngressSpec => ({ rules: [{ http: { paths: [path as never] } }] })

  it.each<[IngressSpec, string[]]>([
    [{ defaultBackend: service }, []],
    [
      {},
      [
        'spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified',
      ],
    ],
    [
      rule({ path: '/', backend: service }),
      ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
    ],
    [
      rule({ path: 'a', pathType: 'Prefix', backend: service }),
      ['spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path'],
    ],
    [
      rule({ path: '/', pathType: 'Exact', backend: {} }),
      ['spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required'],
    ],
    [
      { defaultBackend: { service: { name: 'web' } } },
      ['spec.defaultBackend: Required value: port name or number is required'],
    ],
    [
      { rules: [{ host: '1.2.3.4' }] },
      ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
    ],
    [{ rules: [{ host: '*.example.com' }] }, []],
  ])('%j', (spec, expected) => {
    const ingress: Stored<Ingress> = { ...base, spec, status: {} }
    expect(texts(ingresses.validate!(ingress, undefined))).toEqual(expected)
  })
})

describe('RBAC', () => {
  const role = (rules: PolicyRule[]): Stored<Role> => ({ ...base, rules })

  it('refuses rules that say too little', () => {
    expect(texts(roles.validate!(role([{ verbs: [] }]), undefined))).toEqual([
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ])
    expect(texts(roles.validate!(role([{ verbs: ['get'], nonResourceURLs: ['/a'] }]), undefined))).toEqual([
      'rules[0].nonResourceURLs: Invalid value: []string{"/a"}: namespaced rules cannot apply to non-resource URLs',
    ])
  })

  it('binds one role for good', () => {
    const binding = (name: string): Stored<ClusterRoleBinding> => {
      const draft: Stored<ClusterRoleBinding> = {
        ...base,
        roleRef: { kind: 'ClusterRole', name } as never,
        subjects: [{ kind: 'User', name: 'me' }],
      }
      clusterRoleBindings.defaults!(draft)
      return draft
    }
    expect(binding('view').subjects![0]!.apiGroup).toBe('rbac.authorization.k8s.io')
    expect(texts(clusterRoleBindings.validate!(binding('edit'), binding('view')))).toEqual([
      'roleRef: Invalid value: rbac.RoleRef{APIGroup:"rbac.authorization.k8s.io", Kind:"ClusterRole", Name:"edit"}: cannot change roleRef',
    ])
    expect(clusterRoleBindings.row(binding('view'), { now: 0 }).slice(0, 2)).toEqual([
      'x',
      'ClusterRole/view',
    ])
    const account = { ...binding('view'), subjects: [{ kind: 'ServiceAccount', name: 'a' }] }
    expect(texts(clusterRoleBindings.validate!(account, undefined))).toEqual([
      'subjects[0].namespace: Required value',
    ])
  })
})

describe('LimitRange', () => {
  const range = (item: Partial<LimitRangeItem>): Stored<LimitRange> => {
    const draft: Stored<LimitRange> = { ...base, spec: { limits: [{ type: 'Container', ...item }] } }
    limitRanges.defaults!(draft)
    return draft
  }

  it('derives defaults from what is given', () => {
    expect(range({ max: { cpu: '2' }, min: { memory: '1Mi' } }).spec.limits[0]).toMatchObject({
      default: { cpu: '2' },
      defaultRequest: { cpu: '2', memory: '1Mi' },
    })
  })

  it('keeps the amounts in order', () => {
    const object = range({ min: { cpu: '500m' }, max: { cpu: '200m' }, default: { cpu: '300m' } })
    expect(texts(limitRanges.validate!(object, undefined))).toEqual([
      'spec.limits[0].min[cpu]: Invalid value: resource.Quantity{i:resource.int64Amount{value:500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:"DecimalSI"}: min value 500m is greater than max value 200m',
      expect.stringContaining('spec.limits[0].defaultRequest[cpu]: Invalid value: '),
      expect.stringContaining('default request value 300m is greater than max value 200m'),
      expect.stringContaining('min value 500m is greater than default value 300m'),
      expect.stringContaining('default value 300m is greater than max value 200m'),
    ])
  })

  it('has no defaults for whole pods', () => {
    expect(texts(limitRanges.validate!(range({ type: 'Pod', default: { cpu: '1' } }), undefined))).toEqual([
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
    ])
  })
})

describe('ResourceQuota', () => {
  const quota = (hard: Record<string, string>): Stored<ResourceQuota> => ({
    ...base,
    spec: { hard },
    status: { hard, used: { pods: '1' } },
  })

  it('knows what can be counted', () => {
    expect(
      texts(
        resourceQuotas.validate!(
          quota({ pods: '1', 'requests.cpu': '2', 'count/jobs.batch': '1' }),
          undefined,
        ),
      ),
    ).toEqual([])
    expect(texts(resourceQuotas.validate!(quota({ socks: '1', pods: '-1' }), undefined))).toEqual([
      'spec.hard[socks]: Invalid value: "socks": must be a standard resource for quota',
      'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
    ])
  })

  it('prints what is used of what', () => {
    const row = resourceQuotas.row(quota({ pods: '4', 'limits.cpu': '2' }), {
      now: Date.parse('2026-01-01T00:01:00Z'),
    })
    expect(row).toEqual(['x', '60s', 'pods: 1/4', 'limits.cpu: 0/2'])
  })
})

describe('PriorityClass', () => {
  const priority = (name: string, value: number): Stored<PriorityClass> => ({
    ...base,
    metadata: { ...metadata, name },
    value,
    preemptionPolicy: 'Never',
  })

  it('keeps the highest priorities for the system', () => {
    expect(texts(priorityClasses.validate!(priority('a', 2e9), undefined))).toEqual([
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    ])
    expect(priorityClasses.validate!(priority('system-node-critical', 2_000_001_000), undefined)).toEqual([])
    expect(texts(priorityClasses.validate!(priority('system-mine', 1), undefined))).toEqual([
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ])
    expect(texts(priorityClasses.validate!(priority('a', 2), priority('a', 1)))).toEqual([
      'value: Invalid value: 2: field is immutable',
    ])
  })
})
