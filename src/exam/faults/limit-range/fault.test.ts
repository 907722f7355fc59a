/** Tests which LimitRanges repair the fault: the pods of the system and new ones must be admitted, and be able to work. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { isGone } from '../testing/is-gone.ts'

const boutique = createSystemView(await loadSystem('online-boutique'))

describe('a LimitRange', () => {
  const limitRange = (...limits: object[]): ApiObject => ({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'container-limits' },
    spec: { limits },
  })
  const container = (limits: object, defaultRequest?: object): object => ({
    type: 'Container',
    default: limits,
    ...(defaultRequest && { defaultRequest }),
  })
  const state = { rule: { limits: [{ type: 'Container', max: { cpu: '50m' } }] } }
  const rangeCase = { fault: 'limit-range', system: boutique, target: { service: 'cartservice' }, state }
  it.each<[object[], boolean]>([
    [[{ type: 'Container', max: { cpu: '8' } }], true],
    [[{ type: 'Container', max: { cpu: '8' }, default: { cpu: '8' }, defaultRequest: { cpu: '8' } }], true],
    [[], true],
    [[{ type: 'Container', max: { cpu: '1m' } }], false],
    [[{ type: 'Container', max: { cpu: '8', memory: '1Mi' } }], false],
    [[{ type: 'Container', max: { cpu: '8' }, min: { cpu: '7' } }], false],
    [[{ type: 'Container', max: { cpu: '2', memory: '4Gi' } }], true],
    [[container({ cpu: '500m', memory: '512Mi' }, { cpu: '100m', memory: '128Mi' })], true],
    [[container({ cpu: '100m', memory: '128Mi' }, { cpu: '50m' })], true],
    [[container({ cpu: '1m', memory: '4Mi' }, { cpu: '1m', memory: '4Mi' })], false],
    [[container({ memory: '4Mi' })], false],
    [[container({ cpu: '10m' })], false],
    [[container({ 'ephemeral-storage': '1Ki' })], false],
    [[container({ 'nvidia.com/gpu': '1' })], false],
    [[{ type: 'Container', max: { cpu: '8', 'ephemeral-storage': '1Gi' } }], true],
    [[{ type: 'Container', min: { cpu: '10m', memory: '16Mi' } }], true],
    [[{ type: 'Container', min: { memory: '1Gi' } }], false],
    [[{ type: 'Container', maxLimitRequestRatio: { cpu: '1' } }], false],
    [[{ type: 'Pod', max: { cpu: '8', memory: '8Gi' } }], false],
    [[{ type: 'Pod', max: { cpu: '8', memory: '8Gi' } }, container({ cpu: '1', memory: '1Gi' })], true],
    [[{ type: 'Pod', max: { cpu: '100m' } }, container({ cpu: '60m' })], false],
    [[{ type: 'PersistentVolumeClaim', max: { storage: '10Gi' } }], true],
    [[{ type: 'PersistentVolumeClaim', max: { storage: '1Mi' } }], false],
    [[{ type: 'PersistentVolumeClaim', min: { storage: '1Ti' } }], false],
  ])('is accepted with the limits %j: %s', async (limits, holds) => {
    expect(await isGone(rangeCase, [...boutique.objects, limitRange(...limits)])).toBe(holds)
  })

  it('must admit the pods together with other LimitRanges', async () => {
    const [ample, small] = [
      container({ cpu: '4', memory: '4Gi' }),
      { type: 'Container', max: { cpu: '2' }, default: { cpu: '500m' } },
    ]
    const other = { ...limitRange(small), metadata: { name: 'other' } }
    for (const objects of [[limitRange(ample)], [other]])
      expect(await isGone(rangeCase, [...boutique.objects, ...objects])).toBe(true)
    expect(await isGone(rangeCase, [...boutique.objects, limitRange(ample), other])).toBe(false)
  })

  it.each<[string, object, boolean]>([
    ['usual', { cpu: '100m', memory: '128Mi' }, true],
    ['more than the nodes have', { cpu: '64', memory: '1Gi' }, false],
    ['more memory than the nodes have', { cpu: '1', memory: '1Ti' }, false],
  ])('must leave room for new pods on the nodes if their requests are %s', async (_, requests, holds) => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } }
    const status = { allocatable: { cpu: '32', memory: '64Gi' } }
    const range = limitRange(container({ cpu: '128', memory: '2Ti' }, requests))
    expect(await isGone(rangeCase, [...boutique.objects, { ...node, status }, range])).toBe(holds)
  })

  it('is compared with the rule of the fault in older records', async () => {
    const tiny = { ...container({ cpu: '1m' }), max: { cpu: '4' } }
    const judge = (limits: object) =>
      isGone({ ...rangeCase, rules: 6 }, [...boutique.objects, limitRange(limits)])
    expect(await judge(tiny)).toBe(true)
    expect(await judge({ type: 'Container', max: { cpu: '2', memory: '4Gi' } })).toBe(false)
  })
})
