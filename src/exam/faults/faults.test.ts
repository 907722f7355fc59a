/** Tests of every fault: its declaration is complete, it has targets, and its descriptions do not reveal the answer. */
import { describe, expect, it } from 'vitest'
import { yamlLibrary } from '#kit'
import {
  FAULT_CATEGORIES,
  FAULT_LAYERS,
  FAULT_TYPES,
  type Fault,
  type FaultTarget,
  type ParameterDeclaration,
  type SystemView,
} from '#spec'
import { createSystemView } from '#world/system-view'
import { listSystemNames, loadSystem } from '#world/systems'
import { loadFaults } from './index.ts'

const faults = await loadFaults()
const systems = await Promise.all(
  listSystemNames().map(async (name) => createSystemView(await loadSystem(name))),
)

const KEBAB = /^[a-z]+(-[a-z0-9]+)*$/
const SHAPES = ['sudden', 'gradual', 'intermittent', 'transient']
/** The modules that the available Ansible supports in a playbook. */
const MODULES =
  /^(kubernetes\.core\.(k8s|k8s_exec|k8s_scale|k8s_drain|k8s_info|k8s_cp)|ansible\.builtin\.(meta|pause|wait_for|set_fact|assert))$/
const TASK_KEYWORDS =
  /^(name|register|when|loop|loop_control|until|retries|delay|vars|failed_when|changed_when|ignore_errors|environment)$/
/** Words in a task that would reveal the answer to an agent. */
const REVEALING_WORDS = /chaos|fault|\bbad\b|wrong|broken|remedium/i

const isDefaultInRange = (declaration: ParameterDeclaration): boolean => {
  if (declaration.type === 'choice') return declaration.choices.includes(declaration.default)
  const { min, max, default: defaultValue, type } = declaration
  return min <= defaultValue && defaultValue <= max && (type === 'number' || Number.isInteger(defaultValue))
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

/** Faults of stores that may affect users only through callers, which read from the store at their start. */
const IMPACT_THROUGH_CALLERS = ['database-dropped', 'login-revoked', 'volume-full']

/** Whether the service has user impact of any kind. */
const hasImpact = (system: SystemView, service: string): boolean => {
  const { down, slow, starved, lossy } = system.impactOf(service)
  return [down, slow, starved, lossy].some((journeys) => journeys.length > 0)
}

interface Play {
  readonly hosts: string
  readonly tasks: readonly Record<string, unknown>[]
}

/** Example states of faults whose state holds more than names. */
const STATES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'clock-skew': { pods: ['payment-1'] },
  'network-partition': { pods: ['cart-1'] },
  'node-cordoned': { nodes: ['node1', 'node2'] },
  'node-pressure': { shards: [{ name: 'nightly-report-0', node: 'node-1', cpu: 1500 }] },
  'quota-exhausted': { rule: { hard: { pods: '11' } } },
}

/** A possible state of a fault: a field without an example is a name, which a playbook contains unchanged. */
const stateOf = ({ name }: Fault): Readonly<Record<string, unknown>> =>
  new Proxy<Record<string, unknown>>(
    { ...STATES[name] },
    { get: (values, key) => values[String(key)] ?? `the-${String(key)}`, has: () => true },
  )

const playsOf = (fault: Fault, system: SystemView, target: FaultTarget): Play[] =>
  yamlLibrary().parse(
    fault.fix({ system, target, params: defaultsOf(fault), state: stateOf(fault) }),
  ) as Play[]

describe.each([...faults.values()].map((fault) => [fault.name, fault] as const))('%s', (name, fault) => {
  it('is declared completely', () => {
    expect(name).toMatch(KEBAB)
    expect(fault.about).toMatch(/^[A-Z].{20,}[^.]$/)
    expect(fault.symptoms.length).toBeGreaterThan(0)
    for (const [parameter, declaration] of Object.entries(fault.parameters)) {
      expect(parameter).toMatch(/^[a-z][a-zA-Z]*$/)
      expect(isDefaultInRange(declaration), parameter).toBe(true)
    }
  })

  it('has hacks with unique names', () => {
    const names = fault.hacks.map((hack) => hack.name)
    expect(names.length).toBeGreaterThan(0)
    expect(new Set(names).size).toBe(names.length)
    for (const hack of names) expect(hack).toMatch(KEBAB)
  })

  it('has targets, all of which are services with user impact', () => {
    expect(firstTargets(fault).length).toBeGreaterThan(0)
    for (const system of systems) {
      const targets = fault.targets(system)
      const services = system.workloads.map(({ service }) => service)
      for (const { service } of targets) {
        expect(services, system.name).toContain(service)
        const affected = IMPACT_THROUGH_CALLERS.includes(name)
          ? [service, ...system.callersOf(service)]
          : [service]
        expect(
          affected.some((candidate) => hasImpact(system, candidate)),
          `${service} of ${system.name}`,
        ).toBe(true)
      }
      expect(fault.targets(system), system.name).toEqual(targets)
      expect(new Set(targets.map((target) => JSON.stringify(target))).size).toBe(targets.length)
    }
  })

  it('has a valid playbook that does not reveal the fault', () => {
    for (const { system, target } of firstTargets(fault)) {
      const plays = playsOf(fault, system, target)
      expect(plays).toHaveLength(1)
      expect(plays[0]!.hosts).toBe('localhost')
      for (const task of plays[0]!.tasks) {
        const modules = Object.keys(task).filter((word) => !TASK_KEYWORDS.test(word))
        expect(modules).toHaveLength(1)
        expect(modules[0]).toMatch(MODULES)
        expect(JSON.stringify(task)).not.toMatch(REVEALING_WORDS)
      }
    }
  })

  it('declares its scope and culprits among the services', () => {
    for (const { system, target } of firstTargets(fault)) {
      const faultCase = { system, target, params: defaultsOf(fault) }
      const services = system.workloads.map(({ service }) => service)
      for (const service of fault.scope?.(faultCase).services ?? []) expect(services).toContain(service)
      // The first culprit is a service; objects that the fault created may follow.
      const [first] = fault.culprits?.(faultCase) ?? [target.service]
      expect(services).toContain(first)
    }
  })
})

it('a surge permits more capacity for all services that it reaches, except stores', () => {
  const surge = faults.get('traffic-surge')!
  const system = systems.find(({ name }) => name === 'online-boutique')!
  const [target] = surge.targets(system)
  const { services } = surge.scope!({ system, target: target!, params: defaultsOf(surge) })
  expect(services).toEqual(expect.arrayContaining(['frontend', 'cartservice', 'checkoutservice']))
  expect(services).not.toContain('redis-cart')
})

describe('all faults together', () => {
  const all = [...faults.values()]

  it('number at least 32', () => {
    expect(all.length).toBeGreaterThanOrEqual(32)
  })

  it('cover all categories, layers and types', () => {
    expect(new Set(all.map(({ category }) => category))).toEqual(new Set(FAULT_CATEGORIES))
    expect(new Set(all.map(({ layer }) => layer))).toEqual(new Set(FAULT_LAYERS))
    expect(new Set(all.map(({ type }) => type))).toEqual(new Set(FAULT_TYPES))
  })

  it('have all shapes', () => {
    const shapes = new Set(all.flatMap((fault): readonly string[] => fault.shapes ?? ['sudden']))
    expect([...shapes].sort()).toEqual([...SHAPES].sort())
  })

  it('include at least 20 with targets in each system', () => {
    for (const system of systems) {
      const fitting = all.filter((fault) => fault.targets(system).length > 0)
      expect(fitting.length, system.name).toBeGreaterThanOrEqual(20)
    }
  })
})
