/** Which means do what, on kernels with netem and without. */
import { describe, expect, it } from 'vitest'
import type { NetworkFault } from '../../ports/index.ts'
import { planNetworkFault } from './plan-network-fault.ts'

const fault = (effects: NetworkFault['effects']): NetworkFault => ({
  type: 'network',
  target: { namespace: 'shop', pod: 'web', uid: 'u' },
  effects: effects!,
})
const delay = { latencyMs: 100, jitterMs: 0, correlation: 0 }
const duplicate = { percent: 5, correlation: 0 }

describe('effects on packets', () => {
  it('are the business of netem where the kernel has it', () => {
    const plan = planNetworkFault('1', fault({ delay }), true)
    expect(plan).toEqual({ hooks: [], shape: { id: '1', disciplines: ['netem limit 32768 delay 100ms'] } })
  })

  it('are ours where it has none', () => {
    const plan = planNetworkFault('1', fault({ delay }), false)
    expect(plan.shape).toBeUndefined()
    expect(plan.packets).toEqual({ id: '1', effects: { delay } })
    expect(plan.hooks).toHaveLength(1)
  })

  it('are ours where packets are doubled, which netem refuses beside another netem', () => {
    expect(planNetworkFault('1', fault({ delay, duplicate }), true).packets).toBeDefined()
  })
})
