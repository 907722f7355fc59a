/** Tests of the published suites, and of suite files. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listFaultNames, loadFaults } from '#exam/faults'
import {
  FAULT_CATEGORIES,
  type Problem,
  type Task,
  type Truth,
  taskOf,
  toFaultTruth,
  toRightAnswers,
} from '#spec'
import { createSystemView } from '#world/system-view'
import { listSystemNames, loadSystem } from '#world/systems'
import { listSuites } from './list-suites.ts'
import { loadSuite } from './load-suite.ts'

/** The tasks of the published suites. A task that is added later does not change them. */
const PUBLISHED_TASKS = new Set<Task>([
  'detection',
  'localisation',
  'analysis',
  'mitigation',
  'remediation',
  'end-to-end',
])

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

const countNames = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
const faultsOf = (problems: readonly Problem[]): string[] =>
  problems.flatMap(({ faults }) => faults.map(({ fault }) => fault))
const hashIds = (problems: readonly Problem[]): string =>
  createHash('sha256')
    .update(problems.map(({ id }) => id).join('\n'))
    .digest('hex')

const faults = await loadFaults()
const systems = new Map(
  await Promise.all(
    listSystemNames().map(async (name) => [name, createSystemView(await loadSystem(name))] as const),
  ),
)

const truthOf = ({ system, faults: planned }: Problem): Truth => ({
  isFaulty: planned.length > 0,
  faults: planned.map(({ fault, target, params, afterMs }) =>
    toFaultTruth(faults.get(fault)!, { system: systems.get(system)!, target, params }, afterMs),
  ),
})

/** A label names the service and the category anyway. */
const groupByBriefing = (problems: readonly Problem[]): (readonly [string, readonly Problem[]])[] => [
  ...Map.groupBy(
    problems.filter(({ report }) => report !== 'label'),
    ({ system, task, report, budget, load }) => JSON.stringify([system, task, report, budget, load]),
  ),
]

/** Briefings that reveal the answer to a question, because one answer is right in all problems with that briefing. */
const listRevealedAnswers = (problems: readonly Problem[]): string[] =>
  groupByBriefing(problems).flatMap(([, list]) => {
    const truths = list.map(truthOf)
    const { system, report, task: taskName } = list[0]!
    const task = taskOf(taskName)
    return task.questions
      .filter((question) =>
        truths
          .map(toRightAnswers)
          .some((answers) => truths.every((truth) => question.score(answers, truth, task).holds)),
      )
      .map(({ name }) => `${name} of ${taskName} on ${system}, report ${report}`)
  })

/**
 * Answers that briefings of the published suites reveal: docs/validity/open-findings.md lists them. The task end-to-end has no
 * controls, so all of its problems have a fault.
 */
const KNOWN_REVEALED_ANSWERS: Readonly<Record<string, readonly string[]>> = {
  core: [
    'analysis of analysis on social-network, report none',
    'analysis of end-to-end on social-network, report none',
    'detection of end-to-end on hotel-reservation, report none',
    'detection of end-to-end on hotel-reservation, report symptoms',
    'detection of end-to-end on online-boutique, report none',
    'detection of end-to-end on simple-micro, report none',
    'detection of end-to-end on social-network, report none',
    'detection of end-to-end on social-network, report symptoms',
    'detection of end-to-end on train-ticket, report none',
  ],
  smoke: [
    'detection of end-to-end on online-boutique, report none',
    'localisation of end-to-end on online-boutique, report none',
  ],
}

/** Briefings that reveal what is to be repaired, because all problems with that briefing have the same faults. */
const identifyingBriefings = (problems: readonly Problem[]): string[] => {
  const countFaults = (list: readonly Problem[]): number =>
    new Set(list.map((problem) => JSON.stringify(problem.faults.map(({ fault, target }) => [fault, target]))))
      .size
  return groupByBriefing(problems)
    .filter(([, list]) => countFaults(list) < 2)
    .map(([briefing]) => briefing)
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'suites-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const writeSuite = (file: string, text: string): string => {
  writeFileSync(join(folder, file), text)
  return join(folder, file)
}

describe.each(Object.entries(MIXES))('the suite %s', (name, mix) => {
  it('has the mix, task, report and parameters of MicroRemed', async () => {
    const problems = await loadSuite(name, { system: 'simple-micro' })
    expect(countNames(faultsOf(problems))).toEqual(mix)
    expect(new Set(problems.map(({ id }) => id)).size).toBe(problems.length)
    for (const problem of problems) {
      expect(problem).toMatchObject({ system: 'simple-micro', task: 'remediation', report: 'label' })
      expect(['hello-service', 'time-service']).toContain(problem.faults[0]!.target.service)
    }
  })
})

describe('the seed', () => {
  /** Changes only with a deliberate change of the draw or of its sources. */
  const EASY_HASH = '88904c8ebdb484af06738fab63f2445a13b44aae335f27ec9c4abd471c950aa4'

  it('determines the problems on every machine', async () => {
    const problems = await loadSuite('easy', { system: 'simple-micro' })
    expect(problems[0]!.id).toBe('simple-micro.network-delay.time-service.remediation.7c7021b9')
    expect(hashIds(problems)).toBe(EASY_HASH)
  })

  it('changes the problems', async () => {
    const [original, reseeded] = await Promise.all(
      [undefined, '7'].map((seed) => loadSuite('easy', { system: 'simple-micro', seed })),
    )
    const ids = new Set([...original!, ...reseeded!].map(({ id }) => id))
    expect(ids.size).toBe(2 * original!.length)
    expect(countNames(faultsOf(reseeded!))).toEqual(countNames(faultsOf(original!)))
  })
})

describe('a published suite', () => {
  const names = listSuites().map(({ name }) => name)

  it.each(names)(
    '%s has no further briefing that reveals the answer to one of its questions',
    async (name) => {
      const problems = await loadSuite(name, name in MIXES ? { system: 'simple-micro' } : {})
      const askingProblems = problems.filter(({ task }) => taskOf(task).questions.length > 0)
      expect(listRevealedAnswers(askingProblems).sort()).toEqual(KNOWN_REVEALED_ANSWERS[name] ?? [])
    },
  )
})

describe('the suite smoke', async () => {
  const problems = await loadSuite('smoke')

  it('covers every fault, shape and published task, simultaneous faults and cascades', () => {
    expect([...new Set(faultsOf(problems))].sort()).toEqual(listFaultNames())
    const planned = problems.flatMap(({ faults }) => faults)
    expect(new Set(planned.map(({ shape }) => shape.kind))).toEqual(
      new Set(['sudden', 'gradual', 'intermittent', 'transient']),
    )
    expect(new Set(problems.map(({ task }) => task))).toEqual(PUBLISHED_TASKS)
    expect(problems.some(({ faults }) => faults.length > 1 && faults[1]!.afterMs === undefined)).toBe(true)
    expect(problems.some(({ faults }) => faults[1]?.afterMs !== undefined)).toBe(true)
    expect(new Set(problems.map(({ id }) => id)).size).toBe(problems.length)
  })

  it('has the same problems for a system if only that system is loaded', async () => {
    const expected = problems.filter(({ system }) => system === 'simple-micro')
    expect(await loadSuite('smoke', { system: 'simple-micro' })).toEqual(expected)
  })

  it('has a control for each detection problem', () => {
    const detections = problems.filter(({ task }) => task === 'detection')
    const [faulty, control] = detections
    expect(control).toEqual({ ...faulty, id: expect.stringContaining('.nothing.'), faults: [] })
  })
})

describe('the suite core', async () => {
  const problems = await loadSuite('core')
  const faultNames = new Set(faultsOf(problems))

  it('covers every root cause, all systems and all published tasks', async () => {
    const microRemedFaults: readonly string[] = FAULT_CATEGORIES
    const causes = [...faults.values()].filter(
      ({ name, binding }) => binding === 'cause' && !microRemedFaults.includes(name),
    )
    expect(causes.filter(({ name }) => !faultNames.has(name)).map(({ name }) => name)).toEqual([])
    expect(new Set(problems.map(({ system }) => system))).toEqual(new Set(listSystemNames()))
    expect(new Set(problems.map(({ task }) => task))).toEqual(PUBLISHED_TASKS)
    expect(problems.length).toBeGreaterThan(110)
    expect(new Set(problems.map(({ id }) => id)).size).toBe(problems.length)
  })

  it('has no briefing that reveals the answer', () => {
    expect(identifyingBriefings(problems)).toEqual([])
  })

  it('has a control for each detection problem', () => {
    const detections = problems.filter(({ task }) => task === 'detection')
    const controls = problems.filter(({ faults }) => faults.length === 0)
    expect(controls.length).toBeGreaterThan(5)
    expect(2 * controls.length).toBe(detections.length)
  })
})

describe('a file', () => {
  it('can be a suite, restricted to one system', async () => {
    const file = writeSuite(
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

  it('can hold written problems', async () => {
    const problems = (await Promise.all(['smoke', 'core'].map((name) => loadSuite(name)))).flat()
    const file = writeSuite('as-they-are.json', JSON.stringify({ problems }))
    expect(await loadSuite(file)).toEqual(problems)
    expect(await loadSuite(file, { system: 'train-ticket' })).toEqual(
      problems.filter(({ system }) => system === 'train-ticket'),
    )
  })

  it('is rejected with the position of every mistake', async () => {
    const file = writeSuite(
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
    expect(lines[2]).toMatch(/wrong\.yaml:6: .* reveals the answer to the task localisation$/)
    const service = writeSuite(
      'service.yaml',
      'about: x\nseed: 1\nproblems: [{fault: pod-fail, system: simple-micro, task: mitigation, target: time}]\n',
    )
    await expect(loadSuite(service)).rejects.toThrow(
      'service.yaml:3: problems[0] cannot be drawn on simple-micro: The fault pod-fail does not fit the service time of simple-micro. simple-micro has no service "time"',
    )
    const each = writeSuite(
      'each.yaml',
      'about: x\nseed: 1\neach: {systems: [simple-micro], task: mitigation}\n',
    )
    await expect(loadSuite(each)).rejects.toThrow(
      /each\.yaml:3: each\.systems has no system that the fault \S+ fits\. simple-micro: The fault cannot act on any service of simple-micro\. Its effect: /,
    )
    const misplaced = writeSuite('misplaced.yaml', 'about: x\nseed: 1\nfault: pod-fail\nproblem: []\n')
    await expect(loadSuite(misplaced)).rejects.toThrow(
      /:3: fault is not a known field here; it belongs under "problems\[\]"\n.*:4: problem is not a known field; did you mean "problems"\?/,
    )
    await expect(loadSuite(writeSuite('none.yaml', 'about: x\nseed: 1\n'))).rejects.toThrow(
      'must have a "mix"',
    )
    await expect(loadSuite('smoek')).rejects.toThrow('There is no suite "smoek"')
    await expect(loadSuite('./no.yaml')).rejects.toThrow('The suite ./no.yaml cannot be read')
  })
})

describe('the list of suites', () => {
  it('describes each suite', () => {
    const suites = listSuites()
    expect(suites.map(({ name }) => name)).toEqual(expect.arrayContaining(['core', 'easy', 'hard', 'smoke']))
    for (const { about } of suites) expect(about).toMatch(/^[A-Z].*[^.]$/)
  })
})
