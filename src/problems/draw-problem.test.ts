/** What is drawn from a seed, with faults and a system of a few lines. */
import { describe, expect, it } from 'vitest'
import { defineFault, type Fault, type Impact, type System } from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { type Draw, drawProblem } from './draw-problem.ts'

const SERVICES = ['basket', 'catalogue', 'front', 'idle', 'ledger']
const felt: Impact = { down: ['buy'], slow: ['buy'], starved: ['buy'], lossy: ['buy'] }

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
    basket: felt,
    catalogue: felt,
    front: felt,
    ledger: { down: [], slow: ['buy'], starved: [], lossy: [] },
  },
}
const view = createSystemView(system)

const fault = (name: string, more: Partial<Fault> = {}): Fault =>
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
  rate: { type: 'integer', about: 'How much', least: 10, most: 20, default: 12 },
  share: { type: 'number', about: 'Of all', least: 0, most: 1, default: 0.5 },
  way: { type: 'choice', about: 'How', choices: ['this', 'that'], default: 'this' },
}
const plain = fault('plain', { parameters: PARAMETERS })
const draw = (more: Partial<Draw> = {}) =>
  drawProblem({ system: view, faults: [plain], task: 'mitigation', seed: 'a', ...more })
const turns = Array.from({ length: 40 }, (_, turn) => turn)

describe('a drawn problem', () => {
  it('is the same for the same seed, and another for another', () => {
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

  it('does not depend on the order in which targets are told', () => {
    const turned = { ...plain, targets: (system: typeof view) => [...plain.targets(system)].reverse() }
    expect(draw({ faults: [turned] })).toEqual(draw())
  })

  it('hits each service that users feel in turn, and never one that they do not', () => {
    const hit = turns.map((turn) => draw({ turn }).faults[0]!.target.service)
    expect(hit.slice(0, 4).sort()).toEqual(['basket', 'catalogue', 'front', 'ledger'])
    expect(new Set(hit).size).toBe(4)
    expect(draw({ target: 'ledger' }).faults[0]!.target).toEqual({ service: 'ledger' })
    expect(() => draw({ target: 'idle' })).toThrow('the fault plain fits not idle of shop')
    expect(() => draw({ faults: [fault('rare', { targets: () => [] })] })).toThrow('fits no service of shop')
  })

  it('draws parameters from their ranges where they vary, but for those of MicroRemed', () => {
    const seen = turns.map((turn) => draw({ turn, varies: true }).faults[0]!.params)
    expect(new Set(seen.map(({ way }) => way))).toEqual(new Set(['this', 'that']))
    expect(new Set(seen.map(({ rate }) => rate)).size).toBeGreaterThan(5)
    for (const { rate, share } of seen) {
      expect(rate).toSatisfy((value: number) => Number.isInteger(value) && value >= 10 && value <= 20)
      expect(share).toSatisfy((value: number) => value >= 0 && value <= 1)
    }
    const original = fault('cpu-stress', { parameters: PARAMETERS })
    expect(draw({ faults: [original], varies: true }).faults[0]!.params).toMatchObject({ rate: 12 })
  })

  it('takes values that are given, and refuses those that are none', () => {
    expect(draw({ params: { rate: 15 } }).faults[0]!.params).toMatchObject({ rate: 15, way: 'this' })
    expect(() => draw({ params: { rat: 15 } })).toThrow('no parameter "rat"; did you mean rate?')
    expect(() => draw({ params: { rate: 9 } })).toThrow('rate of plain must be from 10 to 20, not 9')
    expect(() => draw({ params: { rate: 12.5 } })).toThrow('rate of plain must be a whole number, not 12.5')
    expect(() => draw({ params: { way: 'those' } })).toThrow('way of plain must be one of this, that')
  })

  it('has a shape that its fault can take', () => {
    const shapely = fault('shapely', { shapes: ['sudden', 'gradual', 'intermittent', 'transient'] })
    const shapeOf = (shape: Draw['shape']) => draw({ faults: [shapely], shape }).faults[0]!.shape
    expect(shapeOf('gradual')).toEqual({ kind: 'gradual', overMs: expect.any(Number) })
    expect(shapeOf('intermittent')).toMatchObject({ onMs: expect.any(Number), offMs: expect.any(Number) })
    expect(shapeOf('transient')).toMatchObject({ forMs: expect.any(Number) })
    expect(() => draw({ shape: 'gradual' })).toThrow('the fault plain cannot be gradual, only sudden')
  })

  it('gives no report that tells what is asked for', () => {
    expect(() => draw({ task: 'localisation', report: 'label' })).toThrow('gives away')
    expect(() => draw({ faults: [], report: 'label' })).toThrow('a control')
    expect(draw({ task: 'remediation' }).report).toBe('label')
    expect(draw({ task: 'detection', faults: [] })).toMatchObject({ faults: [], report: 'none' })
  })
})

describe('a problem of several faults', () => {
  const faults = [plain, fault('other')]

  it('hits different services', () => {
    for (const turn of turns) {
      const [one, other] = draw({ faults, turn }).faults
      expect(one!.target.service).not.toBe(other!.target.service)
    }
    const [first] = [fault('only', { targets: () => [{ service: 'front' }] })]
    expect(() => draw({ faults: [first!, first!] })).toThrow('the fault only fits no other service of shop')
  })

  it('goes to a neighbour, later, where it is a cascade', () => {
    for (const turn of turns) {
      const [one, other] = draw({ faults, turn, afterMs: 700 }).faults
      const pair = [one!.target.service, other!.target.service]
      expect(view.edges.some(({ from, to }) => pair.includes(from) && pair.includes(to))).toBe(true)
      expect(one!.afterMs).toBeUndefined()
      expect(other!.afterMs).toBe(700)
    }
  })

  it('goes elsewhere where it fits no neighbour', () => {
    const distant = fault('distant', { targets: () => [{ service: 'ledger' }] })
    const [one, other] = draw({ faults: [plain, distant], target: 'front', afterMs: 700 }).faults
    expect([one!.target.service, other!.target.service]).toEqual(['front', 'ledger'])
  })
})
