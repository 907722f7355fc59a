/** Tests how network faults are applied on kernels with and without netem. */
import { describe, expect, it } from 'vitest'
import type { NetworkFault } from '#platform/kube/ports'
import { planNetworkFault } from './plan-network-fault.ts'

const createFault = (effects: NetworkFault['effects']): NetworkFault => ({
  type: 'network',
  target: { namespace: 'shop', pod: 'web', uid: 'u' },
  effects: effects!,
})
const delay = { latencyMs: 100, jitterMs: 0, correlation: 0 }
const duplicate = { percent: 5, correlation: 0 }

describe('effects on packets', () => {
  it('use netem if the kernel has it', () => {
    const plan = planNetworkFault('1', createFault({ delay }), true)
    expect(plan).toEqual({ hooks: [], shape: { id: '1', disciplines: ['netem limit 32768 delay 100ms'] } })
  })

  it('use the packet thread if the kernel has no netem', () => {
    const plan = planNetworkFault('1', createFault({ delay }), false)
    expect(plan.shape).toBeUndefined()
    expect(plan.packets).toEqual({ id: '1', effects: { delay } })
    expect(plan.hooks).toHaveLength(1)
  })

  it('use the packet thread for duplication, which kernels may reject together with another netem', () => {
    expect(planNetworkFault('1', createFault({ delay, duplicate }), true).packets).toBeDefined()
  })
})
