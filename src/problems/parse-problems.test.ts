/** Problems that are read back as they were written, and what is said of those that cannot be. */
import { describe, expect, it } from 'vitest'
import type { Problem } from '../spec/index.ts'
import { drawExperiments } from './load-suite.ts'
import { parseProblems } from './parse-problems.ts'
import { problemId } from './problem-id.ts'

const [problem] = (await drawExperiments(['network-loss'], { system: 'simple-micro', seed: 'x' })) as [
  Problem,
]
const [fault] = problem.faults as [Problem['faults'][number]]

const toText = (...problems: object[]): string => JSON.stringify({ problems }, undefined, 1)
/** Rightly named, so that nothing else is wrong. */
const changed = (change: Partial<Problem>): Problem => {
  const content = { ...problem, ...change }
  return { ...content, id: problemId(content) }
}
const hit = (change: object): Problem => changed({ faults: [{ ...fault, ...change }] })

it('are what was written', async () => {
  expect(await parseProblems(toText(problem), 'p.json')).toEqual([problem])
})

it('must be named as their content is', async () => {
  await expect(parseProblems(toText(problem, { ...problem, seed: 'y' }), 'p.json')).rejects.toThrow(
    /^p\.json:\d+: problems\[1\]\.id must be simple-micro\..*, not simple-micro\./,
  )
})

it('are refused with the place of each mistake', async () => {
  const wrong = { ...problem, task: 'cure', budget: { steps: 0, seconds: 1 } }
  await expect(parseProblems(toText(wrong), 'p.json')).rejects.toThrow(
    /p\.json:6: problems\[0\]\.task must be one of[\s\S]*problems\[0\]\.budget\.steps must be at least 1/,
  )
})

describe('a problem that could not have been drawn', () => {
  it.each<[string, Problem, RegExp]>([
    [
      'another system',
      changed({ system: 'simple-mikro' }),
      /:\d+: problems\[0\]\.system .* no system "simple-mikro"; did you mean simple-micro\?$/,
    ],
    [
      'another fault',
      hit({ fault: 'network-los' }),
      /faults\[0\]\.fault .* "network-los"; did you mean network-loss\?$/,
    ],
    [
      'another service',
      hit({ target: { service: 'frontend' } }),
      /faults\[0\]\.target is none of the fault network-loss on simple-micro: it fits hello-service, time-service$/,
    ],
    [
      'more of a target than there is',
      hit({ target: { ...fault.target, port: 80 } }),
      /faults\[0\]\.target is none .* it fits \{"service":"[a-z-]+"\}$/,
    ],
    ['a parameter that is missing', hit({ params: {} }), /faults\[0\]\.params must have "loss"/],
    [
      'a parameter that there is not',
      hit({ params: { ...fault.params, los: 1 } }),
      /params\.los is wrong: the fault network-loss has no parameter "los"; did you mean loss\?$/,
    ],
    [
      'a value out of range',
      hit({ params: { ...fault.params, loss: 1000 } }),
      /params\.loss is wrong: loss of network-loss must be from \d+ to \d+, not 1000$/,
    ],
    [
      'a report that tells the answer',
      changed({ task: 'localisation', report: 'label' }),
      /problems\[0\]\.report gives away what localisation asks for$/,
    ],
    [
      'two faults in one service',
      changed({ faults: [fault, fault] }),
      /faults\[1\]\.target is [a-z-]+ again: several faults hit different services$/,
    ],
    [
      'users from a file',
      changed({ load: { loop: 'open', arrivals: { kind: 'replay', file: 'trace.csv' } } }),
      /problems\[0\]\.load\.arrivals cannot be a replay/,
    ],
    [
      'users who run out',
      changed({
        load: {
          loop: 'open',
          arrivals: { kind: 'spike', rate: 0, spikeRate: 5, atMs: 0, forMs: 60_000 },
        },
      }),
      /problems\[0\]\.load\.arrivals\.rate must be more than 0, or nobody comes any more after the spike/,
    ],
    ['a label of nothing', changed({ faults: [] }), /problems\[0\]\.report cannot be a label/],
  ])('has %s', async (_what, wrong, said) => {
    await expect(parseProblems(toText(wrong), 'p.json')).rejects.toThrow(said)
  })

  it('has a shape that its fault cannot take', async () => {
    const [whole] = await drawExperiments(['pod-config-error'], { system: 'simple-micro', seed: 'x' })
    const shape = { kind: 'gradual', overMs: 1000 } as const
    const wrong = changed({ faults: [{ ...whole!.faults[0]!, shape }] })
    await expect(parseProblems(toText(wrong), 'p.json')).rejects.toThrow(
      /faults\[0\]\.shape cannot be gradual of the fault pod-config-error, only sudden/,
    )
  })

  it('is told of with all its mistakes, and those of the others', async () => {
    const wrong = changed({ system: 'nope', faults: [{ ...fault, fault: 'nope' }] })
    const failed = await parseProblems(toText(wrong, hit({ params: {} })), 'p.json').catch((error) => error)
    expect(String(failed.message).match(/problems\[\d\](\.[\w[\]]+)+/g)).toEqual(
      expect.arrayContaining([
        'problems[0].system',
        'problems[0].faults[0].fault',
        'problems[1].faults[0].params',
      ]),
    )
  })
})
