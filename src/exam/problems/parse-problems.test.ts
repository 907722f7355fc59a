/** Tests of parsing written problems, and of the messages about mistakes in them. */
import { describe, expect, it } from 'vitest'
import type { Problem } from '#spec'
import { drawExperiments } from './load-suite.ts'
import { parseProblems } from './parse-problems.ts'
import { problemId } from './problem-id.ts'

const [problem] = (await drawExperiments(['network-loss'], { system: 'simple-micro', seed: 'x' })) as [
  Problem,
]
const [fault] = problem.faults as [Problem['faults'][number]]

const toText = (...problems: object[]): string => JSON.stringify({ problems }, undefined, 1)
/** Sets the correct id, so that a wrong id is not reported as well. */
const changedProblem = (change: Partial<Problem>): Problem => {
  const content = { ...problem, ...change }
  return { ...content, id: problemId(content) }
}
const withFault = (change: object): Problem => changedProblem({ faults: [{ ...fault, ...change }] })

it('parses problems as written', async () => {
  expect(await parseProblems(toText(problem), 'p.json')).toEqual([problem])
})

it('rejects ids that do not match the content', async () => {
  await expect(parseProblems(toText(problem, { ...problem, seed: 'y' }), 'p.json')).rejects.toThrow(
    /^p\.json:\d+: problems\[1\]\.id must be simple-micro\..*, not simple-micro\./,
  )
})

it('rejects problems with the position of each mistake', async () => {
  const wrong = { ...problem, task: 'cure', budget: { steps: 0, seconds: 1 } }
  await expect(parseProblems(toText(wrong), 'p.json')).rejects.toThrow(
    /p\.json:6: problems\[0\]\.task must be one of[\s\S]*problems\[0\]\.budget\.steps must be at least 1/,
  )
})

describe('a problem that could not have been drawn is rejected', () => {
  it.each<[string, Problem, RegExp]>([
    [
      'an unknown system',
      changedProblem({ system: 'simple-mikro' }),
      /:\d+: problems\[0\]\.system .* no system "simple-mikro"; did you mean simple-micro\?$/,
    ],
    [
      'an unknown fault',
      withFault({ fault: 'network-los' }),
      /faults\[0\]\.fault .* "network-los"; did you mean network-loss\?$/,
    ],
    [
      'an unknown service',
      withFault({ target: { service: 'frontend' } }),
      /faults\[0\]\.target is not a target of the fault network-loss on simple-micro\. simple-micro has no service "frontend"\. The fault fits hello-service, time-service\.$/,
    ],
    [
      'an additional field of a target',
      withFault({ target: { ...fault.target, port: 80 } }),
      /faults\[0\]\.target is not a target .* The fault fits \{"service":"[a-z-]+"\}\.$/,
    ],
    ['a missing parameter', withFault({ params: {} }), /faults\[0\]\.params must have "loss"/],
    [
      'an unknown parameter',
      withFault({ params: { ...fault.params, los: 1 } }),
      /params\.los is wrong: the fault network-loss has no parameter "los"; did you mean loss\?$/,
    ],
    [
      'a value out of range',
      withFault({ params: { ...fault.params, loss: 1000 } }),
      /params\.loss is wrong: loss of network-loss must be from \d+ to \d+, not 1000$/,
    ],
    [
      'a report that reveals the answer',
      changedProblem({ task: 'localisation', report: 'label' }),
      /problems\[0\]\.report reveals the answer to the task localisation$/,
    ],
    [
      'two faults of one service',
      changedProblem({ faults: [fault, fault] }),
      /faults\[1\]\.target repeats [a-z-]+; each fault needs a different service$/,
    ],
    [
      'a load from a file',
      changedProblem({ load: { loop: 'open', arrivals: { kind: 'replay', file: 'trace.csv' } } }),
      /problems\[0\]\.load\.arrivals cannot be a replay/,
    ],
    [
      'a load that ends',
      changedProblem({
        load: {
          loop: 'open',
          arrivals: { kind: 'spike', rate: 0, spikeRate: 5, atMs: 0, forMs: 60_000 },
        },
      }),
      /problems\[0\]\.load\.arrivals\.rate must be greater than 0, because otherwise no users come after the spike/,
    ],
    ['a label without a fault', changedProblem({ faults: [] }), /problems\[0\]\.report cannot be "label"/],
  ])('if it has %s', async (_description, wrong, message) => {
    await expect(parseProblems(toText(wrong), 'p.json')).rejects.toThrow(message)
  })

  it('if it has a shape that its fault does not allow', async () => {
    const [drawn] = await drawExperiments(['pod-config-error'], { system: 'simple-micro', seed: 'x' })
    const shape = { kind: 'gradual', overMs: 1000 } as const
    const wrong = changedProblem({ faults: [{ ...drawn!.faults[0]!, shape }] })
    await expect(parseProblems(toText(wrong), 'p.json')).rejects.toThrow(
      /faults\[0\]\.shape cannot be gradual for the fault pod-config-error, only sudden/,
    )
  })

  it('with all mistakes of all problems', async () => {
    const wrong = changedProblem({ system: 'nope', faults: [{ ...fault, fault: 'nope' }] })
    const rejection = await parseProblems(toText(wrong, withFault({ params: {} })), 'p.json').catch(
      (error) => error,
    )
    expect(String(rejection.message).match(/problems\[\d\](\.[\w[\]]+)+/g)).toEqual(
      expect.arrayContaining([
        'problems[0].system',
        'problems[0].faults[0].fault',
        'problems[1].faults[0].params',
      ]),
    )
  })
})
