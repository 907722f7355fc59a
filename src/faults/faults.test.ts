/** Proves of every fault that its declaration is well formed, that systems have targets for it, and that its words tell nothing away. */
import { describe, expect, it } from 'vitest'
import { yamlLibrary } from '../kit/index.ts'
import {
  FAULT_CATEGORIES,
  FAULT_LAYERS,
  FAULT_TYPES,
  type Fault,
  type FaultTarget,
  type ParameterDeclaration,
  type SystemView,
} from '../spec/index.ts'
import { createSystemView } from '../system-view/index.ts'
import { listSystemNames, loadSystem } from '../systems/index.ts'
import { loadFaults } from './index.ts'

const faults = await loadFaults()
const systems = await Promise.all(
  listSystemNames().map(async (name) => createSystemView(await loadSystem(name))),
)

const KEBAB = /^[a-z]+(-[a-z0-9]+)*$/
const SHAPES = ['sudden', 'gradual', 'intermittent', 'transient']
/** Of a playbook: what the Ansible that is at hand can do. */
const MODULES =
  /^(kubernetes\.core\.(k8s|k8s_exec|k8s_scale|k8s_drain|k8s_info|k8s_cp)|ansible\.builtin\.(meta|pause|wait_for|set_fact|assert))$/
const TASK_WORDS =
  /^(name|register|when|loop|loop_control|until|retries|delay|vars|failed_when|changed_when|ignore_errors|environment)$/
/** What an agent could read in an object, and would know the answer from. */
const TELLING = /chaos|fault|\bbad\b|wrong|broken|remedium/i

const isDefaultInRange = (declaration: ParameterDeclaration): boolean => {
  if (declaration.type === 'choice') return declaration.choices.includes(declaration.default)
  const { least, most, default: usual, type } = declaration
  return least <= usual && usual <= most && (type === 'number' || Number.isInteger(usual))
}

const defaultsOf = ({ parameters }: Fault): Record<string, number | string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, declaration]) => [name, declaration.default]))

const firstTargets = (fault: Fault): { system: SystemView; target: FaultTarget }[] =>
  systems.flatMap((system) =>
    fault
      .targets(system)
      .slice(0, 1)
      .map((target) => ({ system, target })),
  )

/** What is in a store users may do without for a while; those who ask it when they start do not come up. */
const FELT_BY_CALLERS = ['database-dropped', 'login-revoked', 'volume-full']

/** Whether any journey suffers with the service, in whatever way. */
const isFelt = (system: SystemView, service: string): boolean => {
  const { down, slow, starved, lossy } = system.impactOf(service)
  return [down, slow, starved, lossy].some((journeys) => journeys.length > 0)
}

interface Play {
  readonly hosts: string
  readonly tasks: readonly Record<string, unknown>[]
}

/** Of faults that remember more than names. */
const REMEMBERED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'clock-skew': { pods: ['payment-1'] },
  'network-partition': { pods: ['cart-1'] },
  'node-cordoned': { nodes: ['node1', 'node2'] },
  'node-pressure': { shards: [{ name: 'nightly-report-0', node: 'node-1', cpu: 1500 }] },
  'quota-exhausted': { rule: { hard: { pods: '11' } } },
}

/** What a fault may have remembered of its injection: names of pods and the like, which a playbook shows as they are. */
const stateOf = ({ name }: Fault): Readonly<Record<string, unknown>> =>
  new Proxy<Record<string, unknown>>(
    { ...REMEMBERED[name] },
    { get: (known, key) => known[String(key)] ?? `the-${String(key)}`, has: () => true },
  )

const playsOf = (fault: Fault, system: SystemView, target: FaultTarget): Play[] =>
  yamlLibrary().parse(
    fault.fix({ system, target, params: defaultsOf(fault), state: stateOf(fault) }),
  ) as Play[]

describe.each([...faults.values()].map((fault) => [fault.name, fault] as const))('%s', (name, fault) => {
  it('is declared in full', () => {
    expect(name).toMatch(KEBAB)
    expect(fault.about).toMatch(/^[A-Z].{20,}[^.]$/)
    expect(fault.symptoms.length).toBeGreaterThan(0)
    for (const [parameter, declaration] of Object.entries(fault.parameters)) {
      expect(parameter).toMatch(/^[a-z][a-zA-Z]*$/)
      expect(isDefaultInRange(declaration), parameter).toBe(true)
    }
  })

  it('has hacks, each with its own name', () => {
    const names = fault.hacks.map((hack) => hack.name)
    expect(names.length).toBeGreaterThan(0)
    expect(new Set(names).size).toBe(names.length)
    for (const hack of names) expect(hack).toMatch(KEBAB)
  })

  it('has targets in some system, which are services of it and matter to users', () => {
    expect(firstTargets(fault).length).toBeGreaterThan(0)
    for (const system of systems) {
      const targets = fault.targets(system)
      const services = system.workloads.map(({ service }) => service)
      for (const { service } of targets) {
        expect(services, system.name).toContain(service)
        const hurt = FELT_BY_CALLERS.includes(name) ? [service, ...system.callersOf(service)] : [service]
        expect(
          hurt.some((one) => isFelt(system, one)),
          `${service} of ${system.name}`,
        ).toBe(true)
      }
      expect(fault.targets(system), system.name).toEqual(targets)
      expect(new Set(targets.map((target) => JSON.stringify(target))).size).toBe(targets.length)
    }
  })

  it('has a playbook that Ansible can read, and that does not tell what was done', () => {
    for (const { system, target } of firstTargets(fault)) {
      const plays = playsOf(fault, system, target)
      expect(plays).toHaveLength(1)
      expect(plays[0]!.hosts).toBe('localhost')
      for (const task of plays[0]!.tasks) {
        const modules = Object.keys(task).filter((word) => !TASK_WORDS.test(word))
        expect(modules).toHaveLength(1)
        expect(modules[0]).toMatch(MODULES)
        expect(JSON.stringify(task)).not.toMatch(TELLING)
      }
    }
  })

  it('names who may be touched and who is to blame among the services', () => {
    for (const { system, target } of firstTargets(fault)) {
      const about = { system, target, params: defaultsOf(fault) }
      const services = system.workloads.map(({ service }) => service)
      for (const service of fault.scope?.(about).services ?? []) expect(services).toContain(service)
      // What the fault itself has brought may be named as well, after a service.
      const [first] = fault.culprits?.(about) ?? [target.service]
      expect(services).toContain(first)
    }
  })
})

it('whoever gives more to all whom a crowd may reach does nothing wrong, but stores do not grow', () => {
  const surge = faults.get('traffic-surge')!
  const system = systems.find(({ name }) => name === 'online-boutique')!
  const [target] = surge.targets(system)
  const { services } = surge.scope!({ system, target: target!, params: defaultsOf(surge) })
  expect(services).toEqual(expect.arrayContaining(['frontend', 'cartservice', 'checkoutservice']))
  expect(services).not.toContain('redis-cart')
})

describe('all faults together', () => {
  const all = [...faults.values()]

  it('are at least 32', () => {
    expect(all.length).toBeGreaterThanOrEqual(32)
  })

  it('cover all categories, layers and types', () => {
    expect(new Set(all.map(({ category }) => category))).toEqual(new Set(FAULT_CATEGORIES))
    expect(new Set(all.map(({ layer }) => layer))).toEqual(new Set(FAULT_LAYERS))
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(FAULT_TYPES))
  })

  it('come in all shapes', () => {
    const shapes = new Set(all.flatMap((fault): readonly string[] => fault.shapes ?? ['sudden']))
    expect([...shapes].sort()).toEqual([...SHAPES].sort())
  })

  it('hit every system in many ways', () => {
    for (const system of systems) {
      const fitting = all.filter((fault) => fault.targets(system).length > 0)
      expect(fitting.length, system.name).toBeGreaterThanOrEqual(20)
    }
  })
})
