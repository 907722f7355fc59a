/** Tests of reading and writing the scale subresource of custom resources. */
import { expect, it } from 'vitest'
import { deployments, type Kind } from '#platform/kube/kinds'
import type { KubeObject } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { scaleOf, writeScale } from './scale-of.ts'

it('does not write to Object.prototype through a replicas path of a custom resource', () => {
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
