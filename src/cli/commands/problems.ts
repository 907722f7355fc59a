/** `remedium problems`: the suites there are, and the problems of one. */
import { type PlannedFault, type Problem, RemediumError } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'
import { toTable } from '../table.ts'

const shapeText = ({ shape: { kind, ...times }, afterMs }: PlannedFault): string => {
  const parts = [kind, ...Object.values(times).map((ms) => `${ms} ms`)]
  return parts.join(' ') + (afterMs === undefined ? '' : `, after ${afterMs} ms`)
}

const faultText = (planned: PlannedFault): string => {
  const { service, ...details } = planned.target
  const values = Object.entries({ ...details, ...planned.params }).map(([name, value]) => `${name}=${value}`)
  return `${planned.fault} in ${service}${values.length === 0 ? '' : ` (${values.join(', ')})`}, ${shapeText(planned)}`
}

const problemText = ({ id, system, task, report, budget, seed, faults }: Problem): string =>
  [
    `${id}: ${task} on ${system}, with the report "${report}", ${budget.steps} steps and ${budget.seconds} s.`,
    faults.length === 0 ? 'Nothing is wrong.' : faults.map((planned) => `  ${faultText(planned)}`).join('\n'),
    `Seed: ${seed}.`,
  ].join('\n')

const tableText = (problems: readonly Problem[]): string =>
  toTable(
    ['ID', 'TASK', 'REPORT', 'FAULTS'],
    problems.map(({ id, task, report, faults }) => [
      ...[id, task, report, faults.length === 0 ? 'none' : faults.map(faultText).join('; ')],
    ]),
  )

export const problems = defineCommand({
  summary: 'List the suites of problems, or the problems of one',
  positionals: '[SUITE|PROBLEM|FILE]',
  examples: [
    'remedium problems                                         the suites',
    'remedium problems hard --system train-ticket              its problems on one system',
    'remedium problems hard --seed 7                           drawn from another seed',
  ],
  options: {
    system: { type: 'string', value: 'SYSTEM', about: 'only problems of this system', multiple: true },
    seed: {
      type: 'string',
      value: 'SEED',
      about: "what they are drawn from, instead of the suite's own seed",
    },
  },
  async run({ positionals: [what, ...more], options, answer }) {
    if (more.length > 0) throw new RemediumError('bad-argument', 'Name one suite, problem or file.')
    if (what === undefined) {
      const { listSuites } = await import('../../problems/index.ts')
      const suites = listSuites()
      answer(
        { suites },
        toTable(
          ['SUITE', 'ABOUT'],
          suites.map(({ name, about }) => [name, about]),
        ),
      )
      return 0
    }
    const { chooseProblems } = await import('../validity/choose-problems.ts')
    const chosen = await chooseProblems(what, options)
    answer({ problems: chosen }, chosen.length === 1 ? problemText(chosen[0]!) : tableText(chosen))
    return 0
  },
})
