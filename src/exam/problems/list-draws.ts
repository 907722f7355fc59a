/** Lists the draws of a suite. */
import { createRandom, type LocatedYaml, shuffle, type YamlPath } from '#kit'
import type { Fault } from '#spec'
import { failWith } from '#world/workload'
import type { Drawer, NamedDraw } from './create-drawer.ts'
import type { EachRule, Suite, SuiteEntry } from './parse-suite.ts'

/** One draw, and its position in the file. */
export interface SuiteDraw {
  readonly draw: NamedDraw
  readonly path: YamlPath
}

/** Lists the draws of a mix in random order, as in MicroRemed's lists. */
const listMixDraws = (
  { mix = {}, task, report, parameters }: Suite,
  system: string,
  seed: string,
): SuiteDraw[] => {
  const draws = Object.entries(mix).flatMap(([fault, times]) => {
    const draw = { system, faults: [fault], task: task!, report, varies: parameters === 'drawn' }
    return Array.from({ length: times }, (): SuiteDraw => ({ draw, path: ['mix', fault] }))
  })
  return shuffle(draws, createRandom(seed).fork(`order on ${system}`))
}

const listEntryDraws = (
  suite: Suite,
  entry: SuiteEntry,
  path: YamlPath,
  document: LocatedYaml,
): SuiteDraw[] => {
  const { fault, faults = [fault!], times, task = suite.task, report = suite.report, ...rest } = entry
  if (task === undefined)
    return failWith([document.mistakeAt(path, 'has no "task", and the suite has none either')])
  const draw = { ...rest, faults, task, report, varies: suite.parameters === 'drawn' }
  return Array.from({ length: times }, () => ({ draw, path }))
}

interface DrawScope {
  /** Restricts draws to this system. */
  readonly system: string | undefined
  readonly seed: string
  readonly drawer: Drawer
}

/** The systems in the order in which they are tried for a fault. */
const toSystemOrder = (systems: EachRule['systems'], { seed }: DrawScope, fault: string): string[] =>
  systems.flatMap((group, index) =>
    typeof group === 'string'
      ? [group]
      : shuffle(group, createRandom(seed).fork(`system ${index} for ${fault}`)),
  )

/** Returns the first system that the fault fits, or for each system the reason why it does not fit. */
const findFittingSystem = async (
  fault: Fault,
  drawer: Drawer,
  systems: readonly string[],
): Promise<{ readonly system: string } | { readonly reasons: readonly string[] }> => {
  const reasons: string[] = []
  for (const system of systems) {
    const misfit = await drawer.findMisfit(fault, system)
    if (misfit === undefined) return { system }
    reasons.push(`${system}: ${misfit}`)
  }
  return { reasons }
}

const listEachDraws = async (suite: Suite, document: LocatedYaml, scope: DrawScope): Promise<SuiteDraw[]> => {
  if (suite.each === undefined) return []
  const { binding, systems, task = suite.task, report = suite.report } = suite.each
  if (task === undefined) return failWith([document.mistakeAt(['each'], 'has no "task"')])
  const draws: SuiteDraw[] = []
  for (const name of scope.drawer.faultNames) {
    const fault = await scope.drawer.faultOf(name)
    if (binding !== undefined && fault.binding !== binding) continue
    const found = await findFittingSystem(fault, scope.drawer, toSystemOrder(systems, scope, name))
    const draw = { faults: [name], task, report, varies: suite.parameters === 'drawn' }
    if ('reasons' in found) {
      const text = `has no system that the fault ${name} fits. ${found.reasons.join(' ')}`
      return failWith([document.mistakeAt(['each', 'systems'], text)])
    }
    if (scope.system === undefined || found.system === scope.system)
      draws.push({ draw: { ...draw, system: found.system }, path: ['each'] })
  }
  return draws
}

/** Lists the draws of `mix` first, then those of `each`, then those of `problems`. */
export const listDraws = async (
  suite: Suite,
  document: LocatedYaml,
  scope: DrawScope,
): Promise<SuiteDraw[]> => {
  const { system, seed } = scope
  const systems = system === undefined ? (suite.systems ?? []) : [system]
  const entryDraws = (suite.problems ?? []).flatMap((entry, index) =>
    system === undefined || entry.system === system
      ? listEntryDraws(suite, entry, ['problems', index], document)
      : [],
  )
  const mixDraws = systems.flatMap((systemName) => listMixDraws(suite, systemName, seed))
  return [...mixDraws, ...(await listEachDraws(suite, document, scope)), ...entryDraws]
}
