/** Tests of reading and writing the scale of what a definition describes. */
import { expect, it } from 'vitest'
import { deployments, type Kind } from '../../kinds/index.ts'
import type { KubeObject } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'
import { scaleOf, writeScale } from './scale-of.ts'

it('keeps a path that somebody defined out of what all objects share', () => {
  const kind: Kind = { ...deployments, scale: { spec: 'spec.__proto__.ships', status: 'status.ships' } }
  const object = { apiVersion: 'sea/v1', kind: 'Fleet', metadata: { name: 'first' }, spec: {}, status: {} }
  const updates: KubeObject[] = []
  const client = {
    get: () => object,
    update: (_: Kind, next: KubeObject) => updates.push(next),
  } as unknown as Client
  const scale = scaleOf(client, kind, 'default', 'first')!
  expect(scale).toMatchObject({ replicas: 0, current: 0, selector: '' })
  try {
    writeScale(client, scale, 3)
    expect('ships' in {}).toBe(false)
  } finally {
    Reflect.deleteProperty(Object.prototype, 'ships')
  }
  expect(Object.keys(updates[0]!.spec)).toEqual(['__proto__'])
})
