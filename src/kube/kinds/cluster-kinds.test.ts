import type { Endpoints, Event, Namespace, Node } from 'kubernetes-types/core/v1.d.ts'
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../kit/index.ts'
import type { KubeObject, Stored } from '../meta/index.ts'
import { endpointSlices } from './endpoint-slice.ts'
import { endpoints } from './endpoints.ts'
import { events } from './event.ts'
import { namespaces } from './namespace.ts'
import { nodes } from './node.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: 'v1', kind: '', metadata }
const context = { now: Date.parse('2026-01-01T00:01:00Z') }
const texts = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)

describe('Namespace', () => {
  it('is labelled with its name and waits for its contents when it goes', () => {
    const draft = { ...base } as unknown as Stored<Namespace>
    draft.metadata = { ...metadata }
    namespaces.defaults!(draft)
    namespaces.prepareCreate!(draft, { now: 0 })
    expect(draft.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'x' })
    expect(draft.spec).toEqual({ finalizers: ['kubernetes'] })
    expect(draft.status).toEqual({ phase: 'Active' })
    const next: Stored<Namespace> = { ...draft, spec: {} }
    namespaces.prepareUpdate!(next, deepFreeze(draft), { now: 0 })
    expect(next.spec.finalizers).toEqual(['kubernetes'])
  })
})

describe('Node', () => {
  const node = (rest: Partial<Node>): Stored<Node> => ({ spec: {}, status: {}, ...rest, ...base })

  it.each([
    [{ podCIDR: '10.0.0.0/24' }, '10.0.0.0/24', ['10.0.0.0/24']],
    [{ podCIDRs: ['10.0.0.0/24', 'fd00::/64'] }, '10.0.0.0/24', ['10.0.0.0/24', 'fd00::/64']],
    [{ podCIDR: '10.1.0.0/24', podCIDRs: ['10.0.0.0/24'] }, '10.1.0.0/24', ['10.1.0.0/24']],
  ])('keeps the first pod range and the list in step: %j', (spec, podCIDR, podCIDRs) => {
    const draft = node({ spec })
    nodes.defaults!(draft)
    expect(draft.spec).toEqual({ podCIDR, podCIDRs })
  })

  it('has one pod range of each family', () => {
    const found = (...podCIDRs: string[]) => texts(nodes.validate!(node({ spec: { podCIDRs } }), undefined))
    expect(found('10.0.0.0/24', 'fd00::/64')).toEqual([])
    expect(found('10.0.0.0/24', '10.0.0.0/24')).toEqual([
      'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "10.0.0.0/24"}: may specify no more than one CIDR for each IP family',
      'spec.podCIDRs[1]: Duplicate value: "10.0.0.0/24"',
    ])
  })

  it('offers all it has unless it says otherwise', () => {
    const draft = node({ status: deepFreeze({ capacity: { cpu: '2' } }) })
    nodes.defaults!(draft)
    expect(draft.status.allocatable).toEqual({ cpu: '2' })
  })

  it('prints whether it is ready and takes pods', () => {
    const cordoned = node({
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    })
    expect(nodes.row(cordoned, context)[1]).toBe('NotReady,SchedulingDisabled')
    expect(nodes.row(node({}), context)[1]).toBe('Unknown')
    expect(nodes.selectableFields!(cordoned)).toEqual({ 'spec.unschedulable': 'true' })
  })

  it('checks taints', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'Never' },
    ]
    expect(texts(nodes.validate!(node({ spec: { taints } }), undefined))).toEqual([
      'spec.taints[1]: Duplicate value: core.Taint{Key:"a", Value:"", Effect:"NoSchedule", TimeAdded:<nil>}: taints must be unique by key and effect pair',
      'spec.taints[2].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ])
  })
})

describe('Endpoints and slices', () => {
  it('show three addresses and count the rest', () => {
    const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5']
    const object: Stored<Endpoints> = {
      ...base,
      subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ port: 80, protocol: 'TCP' }] }],
    }
    expect(endpoints.row(object, context)[1]).toBe('10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 2 more...')
    expect(endpoints.row({ ...base }, context)[1]).toBe('<none>')
    const slice: Stored<EndpointSlice> = {
      ...base,
      addressType: 'IPv4',
      endpoints: [{ addresses }],
      ports: [],
    }
    expect(endpointSlices.row(slice, context).slice(2, 4)).toEqual([
      '<unset>',
      '10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...',
    ])
  })

  it('refuse what is no address of a pod', () => {
    const object: Stored<Endpoints> = {
      ...base,
      subsets: [{ addresses: [{ ip: '127.0.0.1' }, { ip: 'x' }] }, {}],
    }
    expect(texts(endpoints.validate!(object, undefined))).toEqual([
      'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'subsets[0].addresses[1].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[1]: Required value: must specify `addresses` or `notReadyAddresses`',
    ])
    const slice = { ...base, addressType: 'IPv6', endpoints: [{ addresses: ['10.0.0.1'] }] }
    expect(texts(endpointSlices.validate!(slice, { ...slice, addressType: 'IPv4' }))).toEqual([
      'endpoints[0].addresses[0]: Invalid value: "10.0.0.1": must be a valid IPv6 address',
      'addressType: Invalid value: "IPv6": field is immutable',
    ])
  })
})

describe('Event', () => {
  const event: Stored<Event> = {
    ...base,
    metadata: { ...metadata, namespace: 'shop' },
    involvedObject: { kind: 'Pod', name: 'web', namespace: 'shop' },
    reason: 'Killing',
    message: 'Stopping container c',
    source: { component: 'kubelet', host: 'node1' },
    firstTimestamp: '2026-01-01T00:00:10Z',
    lastTimestamp: '2026-01-01T00:00:40Z',
    count: 3,
    type: 'Normal',
    reportingComponent: 'kubelet',
    reportingInstance: 'node1',
  }

  it('has another form in events.k8s.io, and comes back from it', () => {
    const [other] = events.otherVersions!
    const served = other!.toServed(event as unknown as KubeObject)
    expect(served).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'web' },
      note: 'Stopping container c',
      reportingController: 'kubelet',
      deprecatedSource: { component: 'kubelet' },
      deprecatedCount: 3,
      deprecatedFirstTimestamp: '2026-01-01T00:00:10Z',
    })
    expect(served).not.toHaveProperty('involvedObject')
    expect(other!.fromServed(served)).toEqual(event)
  })

  it('can be found by what it is about', () => {
    expect(events.selectableFields!(event)).toMatchObject({
      'involvedObject.name': 'web',
      'involvedObject.kind': 'Pod',
      reason: 'Killing',
      source: 'kubelet',
      type: 'Normal',
    })
  })

  it('prints when it was seen first and last', () => {
    const row = events.row(event, context)
    expect([row[0], row[7], row[8]]).toEqual(['20s', '50s', 3])
  })

  it('lives beside the object that it is about', () => {
    const astray = { ...event, involvedObject: { kind: 'Pod', name: 'web', namespace: 'other' } }
    expect(texts(events.validate!(astray, undefined))).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ])
  })
})
