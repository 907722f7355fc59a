/** Tests MicroRemed's rules for each failure type. */
import { describe, expect, it } from 'vitest'
import { type CheckedContainer, type CheckedPod, microRemedStatus } from './micro-remed-status.ts'

const MIB = 2 ** 20

const container = (overrides: Partial<CheckedContainer> = {}): CheckedContainer => ({
  name: 'server',
  limits: { cpu: 0.5, memory: 2000 * MIB },
  usage: { cpu: 0.1, memory: 100 * MIB },
  ...overrides,
})
const pod = (overrides: Partial<CheckedPod> = {}): CheckedPod => ({
  name: 'cart-1',
  isReady: true,
  containers: [container()],
  ...overrides,
})
const podsUsing = (cpu: number, memory = 0): CheckedPod[] => [
  pod({ containers: [container({ usage: { cpu, memory } })] }),
]

describe('cpu-stress', () => {
  it.each([
    [0.2489, true],
    // As kubectl top prints it, 249.1m are 250m: half of the limit.
    [0.2491, false],
    [0.5, false],
  ])('judges a usage of %s cores of 0.5', (cpu, holds) => {
    expect(microRemedStatus('cpu-stress', podsUsing(cpu)).holds).toBe(holds)
  })

  it('names the container and its usage', () => {
    expect(microRemedStatus('cpu-stress', podsUsing(0.498)).evidence).toBe(
      'cart-1/server uses 498m of 500m CPU',
    )
  })

  it('ignores sidecars, containers without a limit, and readiness', () => {
    const busy = { usage: { cpu: 2, memory: 0 } }
    const containers = [
      container({ ...busy, name: 'sidecar-busybox' }),
      container({ ...busy, limits: { cpu: undefined, memory: undefined } }),
    ]
    expect(microRemedStatus('cpu-stress', [pod({ containers, isReady: false })]).holds).toBe(true)
  })

  it('fails without metrics and without pods', () => {
    expect(
      microRemedStatus('cpu-stress', [pod({ containers: [container({ usage: undefined })] })]).holds,
    ).toBe(false)
    expect(microRemedStatus('cpu-stress', []).holds).toBe(false)
  })
})

describe('memory-stress', () => {
  it.each([
    [999 * MIB, true],
    [1000 * MIB, false],
    [1280 * MIB, false],
  ])('judges a usage of %s bytes of 2000 MiB', (memory, holds) => {
    expect(microRemedStatus('memory-stress', podsUsing(0, memory)).holds).toBe(holds)
  })

  it('fails if one container with a limit has no metrics', () => {
    const containers = [container(), container({ name: 'other', usage: undefined })]
    expect(microRemedStatus('memory-stress', [pod({ containers })])).toEqual({
      holds: false,
      evidence: 'there are no metrics for cart-1/other',
    })
    expect(microRemedStatus('memory-stress', []).holds).toBe(false)
  })
})

describe('pod-fail', () => {
  it('requires that every pod is ready and at least one has metrics', () => {
    const unmeasured = pod({ name: 'cart-2', containers: [container({ usage: undefined })] })
    expect(microRemedStatus('pod-fail', [pod(), unmeasured]).holds).toBe(true)
    expect(microRemedStatus('pod-fail', [unmeasured]).holds).toBe(false)
    expect(microRemedStatus('pod-fail', [pod(), pod({ name: 'cart-2', isReady: false })])).toEqual({
      holds: false,
      evidence: 'cart-2 is not ready',
    })
    expect(microRemedStatus('pod-fail', []).holds).toBe(false)
  })
})

describe.each(['network-loss', 'network-delay'] as const)('%s', (type) => {
  it.each([
    [{ lossPercent: 0, averageMs: 0.1 }, true],
    [{ lossPercent: 0, averageMs: 1000 }, true],
    [{ lossPercent: 0, averageMs: 1000.8 }, false],
    [{ lossPercent: 33.3333, averageMs: 0.1 }, false],
    [{ lossPercent: 0, averageMs: undefined }, false],
    [undefined, false],
  ])('judges the pings %j', (ping, holds) => {
    expect(microRemedStatus(type, [pod({ ping })]).holds).toBe(holds)
  })

  it('fails if one pod fails', () => {
    const [good, bad] = [
      { lossPercent: 0, averageMs: 1 },
      { lossPercent: 100, averageMs: undefined },
    ]
    expect(microRemedStatus(type, [pod({ ping: good }), pod({ name: 'cart-2', ping: bad })])).toEqual({
      holds: false,
      evidence: 'cart-2 loses 100 % of its pings',
    })
  })
})

describe('disk-io', () => {
  it.each([
    [0.008, true],
    [1, true],
    [5.1, false],
    [undefined, false],
  ])('judges a write in %s s', (writeSeconds, holds) => {
    expect(microRemedStatus('disk-io', [pod({ writeSeconds })]).holds).toBe(holds)
  })
})
