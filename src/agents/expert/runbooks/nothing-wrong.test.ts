/** Where nothing is wrong, no runbook finds anything. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../spec/index.ts'
import { other, shop, usage } from '../testing/fake-objects.ts'
import { look } from '../testing/look.ts'

const node = (name: string, spec: object = {}): ApiObject =>
  other('v1', 'Node', name, { spec, status: { allocatable: { cpu: '2' } } })

describe('where nothing is wrong', () => {
  it('nothing is found, with and without a name', async () => {
    const objects = shop(node('node-1'))
    expect(await look({ objects, usage: ['frontend', 'cart', 'store'].map((one) => usage(one)) })).toEqual([])
    for (const category of ['pod-fail', 'pod-config-error'] as const) {
      const found = await look({ objects }, { service: 'cart', category })
      expect(found.every(({ runbook }) => runbook === 'sick-pod')).toBe(true)
    }
  })
})
