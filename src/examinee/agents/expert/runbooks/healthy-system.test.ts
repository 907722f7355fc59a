/** Tests that no runbook has a hypothesis in a healthy system. */
import { describe, expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { object, shop, usage } from '../testing/fake-objects.ts'
import { findHypotheses } from '../testing/find-hypotheses.ts'

const node = (name: string, spec: object = {}): ApiObject =>
  object('v1', 'Node', name, { spec, status: { allocatable: { cpu: '2' } } })

describe('a healthy system', () => {
  it('has no hypotheses, with and without a named service', async () => {
    const objects = shop(node('node-1'))
    expect(
      await findHypotheses({ objects, usage: ['frontend', 'cart', 'store'].map((name) => usage(name)) }),
    ).toEqual([])
    for (const category of ['pod-fail', 'pod-config-error'] as const) {
      const hypothesis = await findHypotheses({ objects }, { service: 'cart', category })
      expect(hypothesis.every(({ runbook }) => runbook === 'faulty-pod')).toBe(true)
    }
  })
})
