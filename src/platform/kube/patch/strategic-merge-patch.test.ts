/** Tests of strategic merge patches with the schemas of built-in kinds. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '#kit'
import { schemaOf } from '#platform/kube/schema'
import { applyStrategicMerge } from './strategic-merge-patch.ts'

const deployment = schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' })!
const pod = schemaOf({ group: '', version: 'v1', kind: 'Pod' })!

const original = deepFreeze({
  metadata: { labels: { app: 'web' }, finalizers: ['a', 'b'] },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'nginx:1',
        args: ['x', 'y'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
        ports: [{ containerPort: 80, protocol: 'TCP' }],
      },
      { name: 'side', image: 'envoy:1' },
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'a', operator: 'Exists' }],
  },
})

const applyPatch = (patch: object): any => applyStrategicMerge(pod, original, deepFreeze(patch))
const namesOf = (elements: { name: string }[]) => elements.map(({ name }) => name)

describe('applyStrategicMerge', () => {
  it('merges lists by key, recursively, and shares unchanged parts', () => {
    const result = applyPatch({
      spec: { containers: [{ name: 'c', image: 'nginx:2', env: [{ name: 'B', value: '3' }] }] },
    })
    expect(result.spec.containers[0]).toEqual({
      ...original.spec.containers[0],
      image: 'nginx:2',
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '3' },
      ],
    })
    expect(result.spec.containers[1]).toBe(original.spec.containers[1])
    expect(result.spec.volumes).toBe(original.spec.volumes)
    expect(result.metadata).toBe(original.metadata)
  })

  it('does not change apiVersion and kind', () => {
    const scale = deepFreeze({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 } })
    const patch = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 2 } }
    const schema = schemaOf({ group: 'autoscaling', version: 'v1', kind: 'Scale' })!
    expect(applyStrategicMerge(schema, scale, patch)).toEqual({ ...scale, spec: { replicas: 2 } })
  })

  it('returns the same object if nothing changes', () => {
    const same = { spec: { containers: [{ name: 'c', image: 'nginx:1' }], nodeSelector: { none: null } } }
    expect(applyPatch(same)).toBe(original)
    expect(applyPatch({ metadata: { finalizers: ['a'], '$setElementOrder/finalizers': ['a', 'b'] } })).toBe(
      original,
    )
  })

  it('merges maps, deletes members with null, and replaces lists without a merge strategy', () => {
    const { spec } = applyPatch({
      spec: {
        nodeSelector: { zone: 'a', disk: null },
        containers: [{ name: 'c', args: ['z'] }],
        tolerations: [{ key: 'b' }],
      },
    })
    expect(spec.nodeSelector).toEqual({ zone: 'a' })
    expect(spec.containers[0].args).toEqual(['z'])
    expect(spec.tolerations).toEqual([{ key: 'b' }])
  })

  it('follows directives in lists', () => {
    const remaining = applyPatch({ spec: { containers: [{ name: 'c', $patch: 'delete' }] } })
    expect(namesOf(remaining.spec.containers)).toEqual(['side'])
    const replacement = [{ $patch: 'replace' }, { name: 'new', image: 'x' }]
    const replaced = applyPatch({ spec: { containers: replacement } })
    expect(replaced.spec.containers).toEqual([{ name: 'new', image: 'x' }])
  })

  it('follows directives in objects', () => {
    const replacement = { $patch: 'replace', zone: 'a' }
    expect(applyPatch({ spec: { nodeSelector: replacement } }).spec.nodeSelector).toEqual({ zone: 'a' })
    expect(applyPatch({ spec: { nodeSelector: { $patch: 'delete' } } }).spec.nodeSelector).toEqual({})
    expect(() => applyPatch({ spec: { nodeSelector: { $patch: 'merge', zone: 'a' } } })).toThrow(
      'unknown patch type: merge in map: map[$patch:merge zone:a]',
    )
  })

  it('merges and deletes in sets of scalars', () => {
    expect(applyPatch({ metadata: { finalizers: ['c', 'a'] } }).metadata.finalizers.toSorted()).toEqual([
      'a',
      'b',
      'c',
    ])
    const { metadata } = applyPatch({ metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'z'] } })
    expect(metadata.finalizers).toEqual(['b'])
  })

  it('follows $setElementOrder, with server elements in between', () => {
    const { containers } = applyPatch({
      spec: {
        '$setElementOrder/containers': [{ name: 'side' }, { name: 'new' }, { name: 'c' }],
        containers: [{ name: 'new', image: 'x' }],
      },
    }).spec
    expect(namesOf(containers)).toEqual(['side', 'new', 'c'])
    const { env } = applyPatch({
      spec: {
        containers: [
          {
            name: 'c',
            '$setElementOrder/env': [{ name: 'B' }, { name: 'C' }],
            env: [{ name: 'C', value: '' }],
          },
        ],
      },
    }).spec.containers[0]
    expect(namesOf(env)).toEqual(['A', 'B', 'C'])
  })

  it('rejects a patch whose elements contradict $setElementOrder', () => {
    expect(() =>
      applyPatch({ spec: { '$setElementOrder/containers': [{ name: 'c' }], containers: [{ name: 'x' }] } }),
    ).toThrow(
      "The order in patch list:\n[map[name:x]]\n doesn't match $setElementOrder list:\n[map[name:c]]\n",
    )
  })

  it('drops members that $retainKeys does not name', () => {
    const recreate = applyStrategicMerge(
      deployment,
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
      { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
    )
    expect(recreate.spec.strategy).toEqual({ type: 'Recreate' })
    expect(() => applyPatch({ spec: { $retainKeys: [], hostNetwork: true } })).toThrow(
      'invalid patch format of retainKeys',
    )
  })

  it('removes directives and nulls from new values', () => {
    const result = applyStrategicMerge(
      pod,
      { spec: {} },
      {
        spec: {
          containers: [
            { name: 'a', image: null },
            { name: 'b', $patch: 'delete' },
          ],
        },
      },
    ) as any
    expect(result.spec.containers).toEqual([{ name: 'a' }])
  })

  it('rejects elements without a merge key, and unknown directives', () => {
    expect(() => applyPatch({ spec: { containers: [{ image: 'nginx', args: ['a', 'b'] }] } })).toThrow(
      'map: map[args:[a b] image:nginx] does not contain declared merge key: name',
    )
    expect(() => applyPatch({ spec: { containers: [{ $patch: 'merge', name: 'c' }] } })).toThrow(
      'merging lists cannot yet be specified in the patch',
    )
    expect(() => applyPatch({ spec: { containers: [{ $patch: 'x', name: 'c' }] } })).toThrow(
      'unknown patch type: x in map: map[$patch:x name:c]',
    )
    expect(() => applyPatch({ spec: { '$setElementOrder/foo': [] } })).toThrow(
      'unable to find api field in struct PodSpec for the json field "foo"',
    )
    expect(() => applyStrategicMerge(pod, original, [])).toThrow('json: cannot unmarshal array into Go value')
  })

  it('is idempotent', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd')
    const element = fc.record(
      { name: key, value: fc.option(fc.string({ maxLength: 2 })) },
      { requiredKeys: ['name'] },
    )
    const env = fc.uniqueArray(element, { selector: ({ name }) => name })
    const podWithEnv = (list: object[]) => ({ spec: { containers: [{ name: 'c', env: list }] } })
    fc.assert(
      fc.property(env, env, (current, desired) => {
        const initial = deepFreeze(podWithEnv(current))
        const once = applyStrategicMerge(pod, initial, deepFreeze(podWithEnv(desired)))
        expect(applyStrategicMerge(pod, once, podWithEnv(desired))).toEqual(once)
        const result = (once as any).spec.containers[0].env ?? []
        expect(namesOf(result).toSorted()).toEqual(
          [...new Set([...namesOf(current), ...namesOf(desired)])].toSorted(),
        )
      }),
    )
  })
})
