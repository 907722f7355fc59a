/** The suites there are, and files of others. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listFaultNames, loadFaults } from '../faults/index.ts'
import { FAULT_CATEGORIES, type Problem, TASKS } from '../spec/index.ts'
import { listSystemNames } from '../systems/index.ts'
import { listSuites } from './list-suites.ts'
import { loadSuite } from './load-suite.ts'

const MIXES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  easy: { 'cpu-stress': 6, 'memory-stress': 5, 'network-delay': 6, 'network-loss': 6 },
  medium: {
    'cpu-stress': 12,
    'disk-io': 8,
    'memory-stress': 12,
    'network-delay': 5,
    'network-loss': 7,
    'pod-fail': 5,
  },
  hard: {
    'cpu-stress': 8,
    'disk-io': 14,
    'memory-stress': 8,
    'network-delay': 11,
    'network-loss': 11,
    'pod-config-error': 14,
    'pod-fail': 14,
  },
  ...Object.fromEntries(FAULT_CATEGORIES.map((name) => [name, { [name]: 15 }])),
}

const countBy = (words: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
const faultsOf = (problems: readonly Problem[]): string[] =>
  problems.flatMap(({ faults }) => faults.map(({ fault }) => fault))
const hashOf = (problems: readonly Problem[]): string =>
  createHash('sha256')
    .update(problems.map(({ id }) => id).join('\n'))
    .digest('hex')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'suites-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const write = (file: string, text: string): string => {
  writeFileSync(join(folder, file), text)
  return join(folder, file)
}

describe.each(Object.entries(MIXES))('the suite %s', (name, mix) => {
  it('has the mix of MicroRemed, with its task, report and parameters', async () => {
    const problems = await loadSuite(name, { system: 'simple-micro' })
    expect(countBy(faultsOf(problems))).toEqual(mix)
    expect(new Set(problems.map(({ id }) => id)).size).toBe(problems.length)
    for (const problem of problems) {
      expect(problem).toMatchObject({ system: 'simple-micro', task: 'remediation', report: 'label' })
      expect(['hello-service', 'time-service']).toContain(problem.faults[0]!.target.service)
    }
  })
})

describe('the seed', () => {
  /** Changes only where the draw itself, or what is drawn from, is changed on purpose. */
  const EASY = '88904c8ebdb484af06738fab63f2445a13b44aae335f27ec9c4abd471c950aa4'

  it('gives the same problems on every machine', async () => {
    const problems = await loadSuite('easy', { system: 'simple-micro' })
    expect(problems[0]!.id).toBe('simple-micro.network-delay.time-service.remediation.7c7021b9')
    expect(hashOf(problems)).toBe(EASY)
  })

  it('changes them where it is another', async () => {
    const [own, other] = await Promise.all(
      [undefined, '7'].map((seed) => loadSuite('easy', { system: 'simple-micro', seed })),
    )
    const ids = new Set([...own!, ...other!].map(({ id }) => id))
    expect(ids.size).toBe(2 * own!.length)
    expect(countBy(faultsOf(other!))).toEqual(countBy(faultsOf(own!)))
  })
})

describe('the suite smoke', async () => {
  const problems = await loadSuite('smoke')

  it('names every fault, shape and task, faults at once and one after the other', () => {
    expect([...new Set(faultsOf(problems))].sort()).toEqual(listFaultNames())
    const planned = problems.flatMap(({ faults }) => faults)
    expect(new Set(planned.map(({ shape }) => shape.kind))).toEqual(
      new Set(['sudden', 'gradual', 'intermittent', 'transient']),
    )
    expect(new Set(problems.map(({ task }) => task))).toEqual(new Set(TASKS))
    expect(problems.some(({ faults }) => faults.length > 1 && faults[1]!.afterMs === undefined)).toBe(true)
    expect(problems.some(({ faults }) => faults[1]?.afterMs !== undefined)).toBe(true)
    expect(new Set(problems.map(({ id }) => id)).size).toBe(problems.length)
  })

  it('has the same problems of a system where only that one is asked for', async () => {
    const wanted = problems.filter(({ system }) => system === 'simple-micro')
    expect(await loadSuite('smoke', { system: 'simple-micro' })).toEqual(wanted)
  })

  it('has as many controls as questions whether anything is wrong', () => {
    const asked = problems.filter(({ task }) => task === 'detection')
    const [faulty, control] = asked
    expect(control).toEqual({ ...faulty, id: expect.stringContaining('.nothing.'), faults: [] })
  })
})

describe('the suite core', async () => {
  const problems = await loadSuite('core')
  const named = new Set(faultsOf(problems))

  it('has every root cause, on all systems and for all tasks', async () => {
    const faults = [...(await loadFaults()).values()]
    const own: readonly string[] = FAULT_CATEGORIES
    const causes = faults.filter(({ name, binding }) => binding === 'cause' && !own.includes(name))
    expect(causes.filter(({ name }) => !named.has(name)).map(({ name }) => name)).toEqual([])
    expect(new Set(problems.map(({ system }) => system))).toEqual(new Set(listSystemNames()))
    expect(new Set(problems.map(({ task }) => task))).toEqual(new Set(TASKS))
    expect(problems.length).toBeGreaterThan(110)
    expect(new Set(problems.map(({ id }) => id)).size).toBe(problems.length)
  })

  it('has a control for each question whether anything is wrong', () => {
    const asked = problems.filter(({ task }) => task === 'detection')
    const controls = problems.filter(({ faults }) => faults.length === 0)
    expect(controls.length).toBeGreaterThan(5)
    expect(2 * controls.length).toBe(asked.length)
  })
})

describe('a file', () => {
  it("can be a list of MicroRemed's, for any system", async () => {
    const file = write('mine.txt', '# two\npod-fail\nnetwork-loss\n')
    const problems = await loadSuite(file, { system: 'online-boutique' })
    expect(faultsOf(problems)).toEqual(['pod-fail', 'network-loss'])
    expect(problems[0]).toMatchObject({ system: 'online-boutique', task: 'remediation', report: 'label' })
    expect(await loadSuite(file, { system: 'online-boutique', seed: 'mine' })).toEqual(problems)
    await expect(loadSuite(file)).rejects.toThrow('mine.txt does not say of which system it is')
  })

  it('can be a suite, of which one system may be asked for', async () => {
    const file = write(
      'mine.yaml',
      `about: Two
seed: 1
task: mitigation
problems:
  - {fault: pod-fail, system: simple-micro, times: 2, target: time-service}
  - {fault: network-loss, system: online-boutique, budget: {steps: 3, seconds: 4}}
`,
    )
    const problems = await loadSuite(file)
    expect(problems).toHaveLength(3)
    expect(problems[1]!.faults[0]!.target.service).toBe('time-service')
    expect(await loadSuite(file, { system: 'online-boutique' })).toEqual(problems.slice(2))
    expect(await loadSuite(file, { system: 'train-ticket' })).toEqual([])
  })

  it('can be problems of any suite as they are', async () => {
    const problems = (await Promise.all(['smoke', 'core'].map((name) => loadSuite(name)))).flat()
    const file = write('as-they-are.json', JSON.stringify({ problems }))
    expect(await loadSuite(file)).toEqual(problems)
    expect(await loadSuite(file, { system: 'train-ticket' })).toEqual(
      problems.filter(({ system }) => system === 'train-ticket'),
    )
  })

  it('is refused with the place of every mistake', async () => {
    const file = write(
      'wrong.yaml',
      `about: Wrong
seed: 1
problems:
  - {fault: pod-fial, system: simple-micro, task: mitigation}
  - {fault: pod-fail, system: simple-mikro, task: mitigation}
  - {fault: pod-fail, system: simple-micro, task: localisation, report: label}
`,
    )
    const message = await loadSuite(file).catch((error) => error.message as string)
    const lines = String(message).split('\n')
    expect(lines[0]).toMatch(/wrong\.yaml:4: problems\[0\] .* no fault "pod-fial"; did you mean pod-fail\?$/)
    expect(lines[1]).toMatch(/wrong\.yaml:5: .* no system "simple-mikro"; did you mean simple-micro\?$/)
    expect(lines[2]).toMatch(/wrong\.yaml:6: .* gives away what localisation asks for$/)
    await expect(loadSuite(write('none.yaml', 'about: x\nseed: 1\n'))).rejects.toThrow('must have a "mix"')
    await expect(loadSuite('smoek')).rejects.toThrow('There is no suite "smoek"')
    await expect(loadSuite('./no.yaml')).rejects.toThrow('The suite ./no.yaml cannot be read')
  })
})

describe('the list of suites', () => {
  it('tells what each is', () => {
    const suites = listSuites()
    expect(suites.map(({ name }) => name)).toEqual(expect.arrayContaining(['core', 'easy', 'hard', 'smoke']))
    for (const { about } of suites) expect(about).toMatch(/^[A-Z].*[^.]$/)
  })
})
