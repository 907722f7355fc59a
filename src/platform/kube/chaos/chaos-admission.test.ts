/** Tests of the validation of chaos objects. */
import { describe, expect, it } from 'vitest'
import { createChaosCluster } from './testing/create-chaos-cluster.ts'

const STRESS = { mode: 'all', selector: {}, stressors: { cpu: { workers: 1 } } }
const NETWORK = { mode: 'all', selector: {}, action: 'delay', delay: { latency: '1ms' } }
const IO = { mode: 'all', selector: {}, action: 'fault', errno: 5, volumePath: '/data' }

const rejectionOf = (kind: string, spec: object): { code: number; message: string } => {
  try {
    createChaosCluster().create(kind, 'x', spec)
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    return { code, message }
  }
  throw new Error('the object was accepted')
}

describe('admission rejects', () => {
  it.each([
    [
      'StressChaos',
      { ...STRESS, mode: 'some' },
      'spec.mode: Unsupported value: "some": supported values: "one", "all", "fixed", "fixed-percent", "random-max-percent"',
    ],
    ['StressChaos', { selector: {}, stressors: {} }, 'spec.mode: Required value'],
    [
      'StressChaos',
      { ...STRESS, mode: 'fixed' },
      'spec.value: Invalid value: "": parse value field error:strconv.Atoi: parsing "": invalid syntax',
    ],
    [
      'StressChaos',
      { ...STRESS, mode: 'fixed-percent', value: '120' },
      'spec.value: Invalid value: "120": value of 120 is invalid, Must be (0,100] with mode:fixed-percent',
    ],
    [
      'StressChaos',
      { ...STRESS, duration: '5 minutes' },
      'spec.duration: Invalid value: "5 minutes": parse duration field error: time: invalid duration "5 minutes"',
    ],
    ['StressChaos', { ...STRESS, stressors: {} }, 'spec.stressors: Invalid value: {}: missing stressors'],
    [
      'StressChaos',
      { ...STRESS, stressors: { cpu: { workers: 0 } } },
      'spec.stressors.cpu.workers: Invalid value: 0: spec.stressors.cpu.workers in body should be greater than or equal to 1',
    ],
    [
      'StressChaos',
      { ...STRESS, stressors: { memory: { workers: 1, size: 'big' } } },
      'spec.stressors.memory.size: Invalid value: "big": incorrect bytes format: must be like 256MB or 50%',
    ],
    [
      'NetworkChaos',
      { ...NETWORK, action: 'loss' },
      'spec.loss: Required value: must be set with action loss',
    ],
    [
      'NetworkChaos',
      { ...NETWORK, delay: { latency: 'soon' } },
      'spec.delay.latency: Invalid value: "soon": parse latency field error:time: invalid duration "soon"',
    ],
    [
      'NetworkChaos',
      { ...NETWORK, loss: { loss: '101' } },
      'spec.loss.loss: Invalid value: "101": parse loss field error:must be between 0 and 100',
    ],
    [
      'NetworkChaos',
      { ...NETWORK, direction: 'both' },
      'spec.direction: Invalid value: "both": `from` and `both` direction cannot be used when targets is empty in netem action',
    ],
    [
      'NetworkChaos',
      { ...NETWORK, target: { selector: {}, mode: 'fixed', value: '0' } },
      'spec.target.value: Invalid value: "0": value must be greater than 0 with mode:fixed',
    ],
    [
      'NetworkChaos',
      { ...NETWORK, action: 'bandwidth', bandwidth: { rate: '5 parsecs', limit: 1, buffer: 1 } },
      'spec.bandwidth.rate: Invalid value: "5 parsecs": parse rate field error:invalid unit',
    ],
    ['IOChaos', { mode: 'all', selector: {}, action: 'fault', errno: 5 }, 'spec.volumePath: Required value'],
    ['IOChaos', { ...IO, action: 'latency' }, 'spec.delay: Required value: must be set with action latency'],
    [
      'IOChaos',
      { ...IO, percent: 101 },
      'spec.percent: Invalid value: 101: spec.percent in body should be less than or equal to 100',
    ],
    [
      'DNSChaos',
      { mode: 'all', selector: {}, action: 'error', patterns: ['a*.org'] },
      'spec.patterns[0]: Invalid value: "a*.org": the wildcard * must be at the end of the pattern',
    ],
    [
      'TimeChaos',
      { mode: 'all', selector: {}, timeOffset: 'x' },
      'spec.timeOffset: Invalid value: "x": parse timeOffset field error: invalid duration "x"',
    ],
    [
      'PodChaos',
      { mode: 'all', selector: {}, action: 'container-kill' },
      'spec.containerNames: Invalid value: []: the name of container is empty on container-kill action',
    ],
  ])('%s %j', (kind, spec, finding) => {
    expect(rejectionOf(kind, spec)).toEqual({
      code: 422,
      message: `${kind}.chaos-mesh.org "x" is invalid: ${finding}`,
    })
  })

  it.each([
    ['a spec that is not an object', 'soon'],
    ['a selector that is not an object', { ...STRESS, selector: 3 }],
  ])('%s', (_, spec) => {
    expect(rejectionOf('StressChaos', spec as object).code).toBe(422)
  })
})

describe('the spec of an experiment', () => {
  it('cannot be changed, but metadata can', () => {
    const { clock, create, get, update } = createChaosCluster()
    create('StressChaos', 'x', STRESS)
    clock.advance(100)
    const chaos = get('StressChaos', 'x')!
    expect(() => update({ ...chaos, spec: { ...chaos.spec, mode: 'one' } })).toThrow(
      'admission webhook "vstresschaos.kb.io" denied the request: Cannot update chaos spec',
    )
    update({ ...chaos, metadata: { ...chaos.metadata, labels: { a: 'b' } } })
    expect(get('StressChaos', 'x')?.metadata.labels).toEqual({ a: 'b' })
  })
})
