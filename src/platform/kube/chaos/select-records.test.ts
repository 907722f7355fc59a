/** Tests of target selection: selectors, modes and containers. */
import { describe, expect, it } from 'vitest'
import { nodes } from '#platform/kube/kinds'
import { createChaosCluster } from './testing/create-chaos-cluster.ts'

const withApp = (app: string) => ({ metadata: { labels: { app } } })

/** Returns the targets selected from the pods `a` to `d` (app=web), `e` (app=db) and three others. */
const select = (spec: object, seed = 'chaos'): string[] => {
  const { clock, client, create, records, runPod } = createChaosCluster(seed)
  for (const node of ['node-1', 'node-2'])
    client.create(nodes, { metadata: { name: node, labels: { disk: node === 'node-1' ? 'ssd' : 'hdd' } } })
  for (const name of ['a', 'b', 'c']) runPod(name, withApp('web'))
  runPod('d', {
    metadata: { labels: { app: 'web', tier: 'front' }, annotations: { note: 'x' } },
    spec: {
      nodeName: 'node-2',
      containers: ['main', 'side', 'extra'].map((name) => ({ name, image: 'i' })),
    },
  })
  runPod('e', withApp('db'))
  runPod('late', { ...withApp('web'), status: { phase: 'Pending' } })
  runPod('done', { ...withApp('job'), status: { phase: 'Succeeded' } })
  runPod('elsewhere', { metadata: { namespace: 'other', labels: { app: 'web' } } })
  create('StressChaos', 's', {
    mode: 'all',
    selector: {},
    stressors: { cpu: { workers: 1 } },
    ...spec,
  })
  clock.advance(100)
  return records('StressChaos', 's').map(({ id }) => id.replace(/^default\//, ''))
}

describe('selectors', () => {
  it.each([
    ['their phase alone', {}, ['a/c', 'b/c', 'c/c', 'd/main', 'e/c']],
    ['labels', { labelSelectors: { app: 'db' } }, ['e/c']],
    ['expressions', { expressionSelectors: [{ key: 'app', operator: 'In', values: ['db', 'x'] }] }, ['e/c']],
    [
      'labels and expressions',
      { labelSelectors: { app: 'web' }, expressionSelectors: [{ key: 'tier', operator: 'Exists' }] },
      ['d/main'],
    ],
    ['annotations', { annotationSelectors: { note: 'x' } }, ['d/main']],
    ['fields', { fieldSelectors: { 'metadata.name': 'b' } }, ['b/c']],
    ['a field of the spec', { fieldSelectors: { 'spec.nodeName': 'node-2' } }, ['d/main']],
    ['phases', { podPhaseSelectors: ['Pending', 'Succeeded'] }, ['done/c', 'late/c']],
    ['names', { pods: { default: ['a', 'missing'], other: ['elsewhere'] } }, ['a/c', 'other/elsewhere/c']],
    ['nodes', { nodes: ['node-2'] }, ['d/main']],
    ['labels of nodes', { nodeSelectors: { disk: 'hdd' } }, ['d/main']],
    [
      'names and labels of nodes',
      { nodes: ['node-1'], nodeSelectors: { disk: 'hdd' }, labelSelectors: { app: 'web' } },
      ['a/c', 'b/c', 'c/c', 'd/main'],
    ],
    ['namespaces', { namespaces: ['other'] }, ['other/elsewhere/c']],
  ])('select pods by %s', (_, selector, expected) => {
    expect(select({ selector })).toEqual(expected)
  })
})

describe('modes', () => {
  const web = { selector: { labelSelectors: { app: 'web' } } }

  it.each([
    [{ mode: 'one' }, 1],
    [{ mode: 'all' }, 4],
    [{ mode: 'fixed', value: '3' }, 3],
    [{ mode: 'fixed', value: '9' }, 4],
    [{ mode: 'fixed-percent', value: '50' }, 2],
    [{ mode: 'fixed-percent', value: '99' }, 3],
    [{ mode: 'fixed-percent', value: '10' }, 0],
  ])('%j selects %i', (mode, count) => {
    expect(select({ ...web, ...mode })).toHaveLength(count)
  })

  it('select at random, but always the same for one seed', () => {
    const chooseOne = (seed: string): string => select({ ...web, mode: 'one' }, seed)[0]!
    const seeds = Array.from({ length: 20 }, (_, index) => `seed ${index}`)
    expect(new Set(seeds.map(chooseOne)).size).toBe(4)
    expect(chooseOne('x')).toBe(chooseOne('x'))
  })

  it('select at most the given percentage at random', () => {
    const counts = Array.from(
      { length: 20 },
      (_, index) => select({ ...web, mode: 'random-max-percent', value: '80' }, `seed ${index}`).length,
    )
    expect(Math.max(...counts)).toBeLessThanOrEqual(3)
    expect(new Set(counts).size).toBeGreaterThan(2)
  })
})

describe('containers', () => {
  const frontTier = { selector: { labelSelectors: { tier: 'front' } } }

  it('are the first of each pod, or the named ones', () => {
    expect(select(frontTier)).toEqual(['d/main'])
    expect(select({ ...frontTier, containerNames: ['extra', 'main', 'missing'] })).toEqual([
      'd/main',
      'd/extra',
    ])
  })
})
