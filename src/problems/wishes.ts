/** What a suite wants drawn, one after another. */
import { createRandom, type LocatedYaml, type YamlPath } from '../kit/index.ts'
import type { Fault } from '../spec/index.ts'
import { failWith } from '../workload/index.ts'
import type { Drawer, NamedDraw } from './drawer.ts'
import type { EachRule, Suite, SuiteEntry } from './parse-suite.ts'
import { shuffle } from './shuffle.ts'

/** One draw, and where it is written. */
export interface Wish {
  readonly draw: NamedDraw
  readonly path: YamlPath
}

/** In an order by chance, as MicroRemed's lists are. */
const mixWishes = ({ mix = {}, task, report, parameters }: Suite, system: string, seed: string): Wish[] => {
  const wishes = Object.entries(mix).flatMap(([fault, times]) => {
    const draw = { system, faults: [fault], task: task!, report, varies: parameters === 'drawn' }
    return Array.from({ length: times }, (): Wish => ({ draw, path: ['mix', fault] }))
  })
  return shuffle(wishes, createRandom(seed).fork(`order on ${system}`))
}

const entryWishes = (suite: Suite, entry: SuiteEntry, path: YamlPath, document: LocatedYaml): Wish[] => {
  const { fault, faults = [fault!], times, task = suite.task, report = suite.report, ...rest } = entry
  if (task === undefined)
    return failWith([document.mistakeAt(path, 'has no "task", and neither has the suite')])
  const draw = { ...rest, faults, task, report, varies: suite.parameters === 'drawn' }
  return Array.from({ length: times }, () => ({ draw, path }))
}

interface Around {
  /** Only of this one. */
  readonly system: string | undefined
  readonly seed: string
  readonly drawer: Drawer
}

/** The systems in the order in which they are tried for this fault. */
const preference = (systems: EachRule['systems'], { seed }: Around, fault: string): string[] =>
  systems.flatMap((group, index) =>
    typeof group === 'string'
      ? [group]
      : shuffle(group, createRandom(seed).fork(`system ${index} for ${fault}`)),
  )

const firstFitting = async (fault: Fault, drawer: Drawer, systems: readonly string[]) => {
  for (const system of systems) if (await drawer.fits(fault, system)) return system
  return undefined
}

const eachWishes = async (suite: Suite, document: LocatedYaml, around: Around): Promise<Wish[]> => {
  if (suite.each === undefined) return []
  const { binding, systems, task = suite.task, report = suite.report } = suite.each
  if (task === undefined) return failWith([document.mistakeAt(['each'], 'has no "task"')])
  const wishes: Wish[] = []
  for (const name of around.drawer.faultNames) {
    const fault = await around.drawer.faultOf(name)
    if (binding !== undefined && fault.binding !== binding) continue
    const system = await firstFitting(fault, around.drawer, preference(systems, around, name))
    const draw = { faults: [name], task, report, varies: suite.parameters === 'drawn' }
    if (system === undefined)
      return failWith([document.mistakeAt(['each', 'systems'], `has none that the fault ${name} fits`)])
    if (around.system === undefined || system === around.system)
      wishes.push({ draw: { ...draw, system }, path: ['each'] })
  }
  return wishes
}

/** In the order of the file: mix, each, problems. */
export const wishesOf = async (suite: Suite, document: LocatedYaml, around: Around): Promise<Wish[]> => {
  const { system, seed } = around
  const systems = system === undefined ? (suite.systems ?? []) : [system]
  const entries = (suite.problems ?? []).flatMap((entry, index) =>
    system === undefined || entry.system === system
      ? entryWishes(suite, entry, ['problems', index], document)
      : [],
  )
  const mixed = systems.flatMap((one) => mixWishes(suite, one, seed))
  return [...mixed, ...(await eachWishes(suite, document, around)), ...entries]
}
