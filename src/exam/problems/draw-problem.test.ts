/** Tests of drawn problems, with small fake faults and a fake system. */
import { describe, expect, it } from 'vitest'
import { defineFault, type Fault, type Impact, type RemediumError, type System } from '#spec'
import { createSystemView } from '#world/system-view'
import { type Draw, drawProblem } from './draw-problem.ts'

const SERVICES = ['basket', 'catalogue', 'front', 'idle', 'ledger']
const IMPACT: Impact = { down: ['buy'], slow: ['buy'], starved: ['buy'], lossy: ['buy'] }

const system: System = {
  name: 'shop',
  about: 'A shop',
  namespace: 'shop',
  manifests: SERVICES.map((name) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { template: { metadata: { labels: { app: name } }, spec: { containers: [] } } },
  })),
  images: [],
  entryPoints: [],
  edges: [
    { from: 'front', to: 'basket' },
    { from: 'front', to: 'catalogue' },
    { from: 'basket', to: 'ledger' },
  ],
  impact: {
    basket: IMPACT,
    catalogue: IMPACT,
    front: IMPACT,
    ledger: { down: [], slow: ['buy'], starved: [], lossy: [] },
  },
}
const view = createSystemView(system)

const createFault = (name: string, more: Partial<Fault> = {}): Fault =>
  defineFault({
    name,
    about: 'Something is wrong',
    category: 'pod-fail',
    layer: 'application',
    type: 'code-defect',
    binding: 'cause',
    parameters: {},
    symptoms: [],
    targets: ({ workloads }) => workloads.map(({ service }) => ({ service })),
    inject: async () => ({}),
    recover: async () => {},
    isGone: () => ({ holds: false, evidence: '' }),
    fix: () => '',
    hacks: [],
    ...more,
  })

const PARAMETERS: Fault['parameters'] = {
  rate: { type: 'integer', about: 'How much', min: 10, max: 20, default: 12 },
  share: { type: 'number', about: 'Of all', min: 0, max: 1, default: 0.5 },
  way: { type: 'choice', about: 'How', choices: ['this', 'that'], default: 'this' },
}
const plainFault = createFault('plain', { parameters: PARAMETERS })
const draw = (more: Partial<Draw> = {}) =>
  drawProblem({ system: view, faults: [plainFault], task: 'mitigation', seed: 'a', ...more })
const turns = Array.from({ length: 40 }, (_, turn) => turn)

describe('a drawn problem', () => {
  it('is the same for the same seed, and differs for another', () => {
    expect(draw()).toEqual(draw())
    expect(draw()).toMatchObject({
      system: 'shop',
      task: 'mitigation',
      report: 'symptoms',
      faults: [{ fault: 'plain', params: { rate: 12, share: 0.5, way: 'this' }, shape: { kind: 'sudden' } }],
    })
    expect(draw({ seed: 'b' }).id).not.toBe(draw().id)
    expect(draw({ turn: 1 }).id).not.toBe(draw().id)
  })

  it('does not depend on the order of targets', () => {
    const reversed = {
      ...plainFault,
      targets: (system: typeof view) => [...plainFault.targets(system)].reverse(),
    }
    expect(draw({ faults: [reversed] })).toEqual(draw())
  })

  it('uses each service with user impact in turn, and no other', () => {
    const services = turns.map((turn) => draw({ turn }).faults[0]!.target.service)
    expect(services.slice(0, 4).sort()).toEqual(['basket', 'catalogue', 'front', 'ledger'])
    expect(new Set(services).size).toBe(4)
    expect(draw({ target: 'ledger' }).faults[0]!.target).toEqual({ service: 'ledger' })
    expect(() => draw({ target: 'idle' })).toThrow('The fault plain does not fit the service idle of shop')
    expect(() => draw({ faults: [createFault('rare', { targets: () => [] })] })).toThrow(
      'does not fit any service of shop',
    )
  })

  it('reports why a fault does not fit', () => {
    const hintOf = (options: Parameters<typeof draw>[0]): string | undefined => {
      try {
        draw(options)
      } catch (error) {
        return (error as RemediumError).hint
      }
      return undefined
    }
    const only = createFault('only', { targets: () => [{ service: 'front' }] })
    expect(hintOf({ target: 'nowhere' })).toBe(
      'shop has no service "nowhere". The fault fits basket, catalogue, front, ledger.',
    )
    expect(hintOf({ faults: [only], target: 'baskt' })).toBe(
      'shop has no service "baskt"; did you mean "basket"? The fault fits front.',
    )
    expect(hintOf({ faults: [createFault('rare', { targets: () => [] })] })).toContain(
      'The fault cannot act on any service of shop.',
    )
    expect(hintOf({ faults: [only], target: 'basket' })).toBe(
      'The fault cannot act on basket. It fits front.',
    )
    expect(hintOf({ target: 'idle' })).toBe(
      'The fault can act on idle, but no journey depends on it. It fits basket, catalogue, front, ledger.',
    )
    expect(hintOf({ faults: [only, only] })).toBe(
      'Each fault of a problem needs a different service, and front already has one.',
    )
  })

  it('draws parameters from their ranges if they vary, except those of MicroRemed', () => {
    const seen = turns.map((turn) => draw({ turn, varies: true }).faults[0]!.params)
    expect(new Set(seen.map(({ way }) => way))).toEqual(new Set(['this', 'that']))
    expect(new Set(seen.map(({ rate }) => rate)).size).toBeGreaterThan(5)
    for (const { rate, share } of seen) {
      expect(rate).toSatisfy((value: number) => Number.isInteger(value) && value >= 10 && value <= 20)
      expect(share).toSatisfy((value: number) => value >= 0 && value <= 1)
    }
    const original = createFault('cpu-stress', { parameters: PARAMETERS })
    expect(draw({ faults: [original], varies: true }).faults[0]!.params).toMatchObject({ rate: 12 })
  })

  it('uses given values, and rejects invalid ones', () => {
    expect(draw({ params: { rate: 15 } }).faults[0]!.params).toMatchObject({ rate: 15, way: 'this' })
    expect(() => draw({ params: { rat: 15 } })).toThrow('no parameter "rat"; did you mean rate?')
    expect(() => draw({ params: { rate: 9 } })).toThrow('rate of plain must be from 10 to 20, not 9')
    expect(() => draw({ params: { rate: 12.5 } })).toThrow('rate of plain must be a whole number, not 12.5')
    expect(() => draw({ params: { way: 'those' } })).toThrow('way of plain must be one of this, that')
  })

  it('has a shape that its fault allows', () => {
    const anyShape = createFault('any-shape', { shapes: ['sudden', 'gradual', 'intermittent', 'transient'] })
    const shapeOf = (shape: Draw['shape']) => draw({ faults: [anyShape], shape }).faults[0]!.shape
    expect(shapeOf('gradual')).toEqual({ kind: 'gradual', overMs: expect.any(Number) })
    expect(shapeOf('intermittent')).toMatchObject({ onMs: expect.any(Number), offMs: expect.any(Number) })
    expect(shapeOf('transient')).toMatchObject({ forMs: expect.any(Number) })
    expect(() => draw({ shape: 'gradual' })).toThrow(
      'the fault plain cannot have the shape gradual, only sudden',
    )
  })

  it('rejects a report that reveals the answer', () => {
    expect(() => draw({ task: 'localisation', report: 'label' })).toThrow('reveals the answer')
    expect(() => draw({ faults: [], report: 'label' })).toThrow('a control')
    expect(draw({ task: 'remediation' }).report).toBe('label')
    expect(draw({ task: 'detection', faults: [] })).toMatchObject({ faults: [], report: 'none' })
  })
})

describe('a problem of several faults', () => {
  const faults = [plainFault, createFault('other')]

  it('uses different services', () => {
    for (const turn of turns) {
      const [first, second] = draw({ faults, turn }).faults
      expect(first!.target.service).not.toBe(second!.target.service)
    }
    const [first] = [createFault('only', { targets: () => [{ service: 'front' }] })]
    expect(() => draw({ faults: [first!, first!] })).toThrow(
      'The fault only does not fit any other service of shop.',
    )
  })

  it('affects a neighbour later in a cascade', () => {
    for (const turn of turns) {
      const [first, second] = draw({ faults, turn, afterMs: 700 }).faults
      const pair = [first!.target.service, second!.target.service]
      expect(view.edges.some(({ from, to }) => pair.includes(from) && pair.includes(to))).toBe(true)
      expect(first!.afterMs).toBeUndefined()
      expect(second!.afterMs).toBe(700)
    }
  })

  it('affects another service if no neighbour fits', () => {
    const distant = createFault('distant', { targets: () => [{ service: 'ledger' }] })
    const [first, second] = draw({ faults: [plainFault, distant], target: 'front', afterMs: 700 }).faults
    expect([first!.target.service, second!.target.service]).toEqual(['front', 'ledger'])
  })
})
