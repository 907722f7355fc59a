/** Tests of all runbooks in a healthy system. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { shopObjects, toObject, usage } from '../testing/fake-objects.ts'
import { findHypotheses } from '../testing/find-hypotheses.ts'

const node = (name: string, spec: object = {}): ApiObject =>
  toObject('v1', 'Node', name, { spec, status: { allocatable: { cpu: '2' } } })

describe('a healthy system', () => {
  it('yields no hypothesis, or only that of a faulty pod if the report names a service', async () => {
    const objects = shopObjects(node('node-1'))
    expect(
      await findHypotheses({ objects, usage: ['frontend', 'cart', 'store'].map((name) => usage(name)) }),
    ).toEqual([])
    for (const category of ['pod-fail', 'pod-config-error'] as const) {
      const hypotheses = await findHypotheses({ objects }, { service: 'cart', category })
      expect(hypotheses.every(({ runbook }) => runbook === 'faulty-pod')).toBe(true)
    }
  })
})
