/** Tests namespaces, nodes and events. */
import type { Event, Namespace, Node } from 'kubernetes-types/core/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '#kit'
import type { KubeObject, Stored } from '#platform/kube/meta'
import { errorTexts } from '../testing/kind-errors.ts'
import { events } from './event.ts'
import { namespaces } from './namespace.ts'
import { nodes } from './node.ts'

const metadata = { name: 'x', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const base = { apiVersion: 'v1', kind: '', metadata }
const context = { now: Date.parse('2026-01-01T00:01:00Z') }

describe('Namespace', () => {
  it('has its name as a label, and keeps its finalizer', () => {
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
  ])('keeps podCIDR and podCIDRs consistent: %j', (spec, podCIDR, podCIDRs) => {
    const draft = node({ spec })
    nodes.defaults!(draft)
    expect(draft.spec).toEqual({ podCIDR, podCIDRs })
  })

  it('rejects two pod CIDRs of one IP family', () => {
    const errorsFor = (...podCIDRs: string[]) =>
      errorTexts(nodes.validate!(node({ spec: { podCIDRs } }), undefined))
    expect(errorsFor('10.0.0.0/24', 'fd00::/64')).toEqual([])
    expect(errorsFor('10.0.0.0/24', '10.0.0.0/24')).toEqual([
      'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "10.0.0.0/24"}: may specify no more than one CIDR for each IP family',
      'spec.podCIDRs[1]: Duplicate value: "10.0.0.0/24"',
    ])
  })

  it('defaults allocatable to capacity', () => {
    const draft = node({ status: deepFreeze({ capacity: { cpu: '2' } }) })
    nodes.defaults!(draft)
    expect(draft.status.allocatable).toEqual({ cpu: '2' })
  })

  it('prints readiness and schedulability', () => {
    const cordoned = node({
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    })
    expect(nodes.row(cordoned, context)[1]).toBe('NotReady,SchedulingDisabled')
    expect(nodes.row(node({}), context)[1]).toBe('Unknown')
    expect(nodes.selectableFields!(cordoned)).toEqual({ 'spec.unschedulable': 'true' })
  })

  it('rejects duplicate taints and unknown effects', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'Never' },
    ]
    expect(errorTexts(nodes.validate!(node({ spec: { taints } }), undefined))).toEqual([
      'spec.taints[1]: Duplicate value: core.Taint{Key:"a", Value:"", Effect:"NoSchedule", TimeAdded:<nil>}: taints must be unique by key and effect pair',
      'spec.taints[2].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
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

  it('converts to events.k8s.io/v1 and back', () => {
    const [otherVersion] = events.otherVersions!
    const served = otherVersion!.toServed(event as unknown as KubeObject)
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
    expect(otherVersion!.fromServed(served)).toEqual(event)
  })

  it('supports field selectors', () => {
    expect(events.selectableFields!(event)).toMatchObject({
      'involvedObject.name': 'web',
      'involvedObject.kind': 'Pod',
      reason: 'Killing',
      source: 'kubelet',
      type: 'Normal',
    })
  })

  it('prints first and last occurrence', () => {
    const row = events.row(event, context)
    expect([row[0], row[7], row[8]]).toEqual(['20s', '50s', 3])
  })

  it('must be in the namespace of its involved object', () => {
    const misplaced = { ...event, involvedObject: { kind: 'Pod', name: 'web', namespace: 'other' } }
    expect(errorTexts(events.validate!(misplaced, undefined))).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ])
  })
})
