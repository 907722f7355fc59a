/** `remedium problems`: lists the suites, or the problems of one. */

import { toTable } from '#lab/text'
import { type PlannedFault, type Problem, RemediumError } from '#spec'
import { defineCommand } from '../define-command.ts'
import { SEED_OPTION } from '../runs/choose-seed.ts'

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
    `${id}: ${task} on ${system}, report "${report}", at most ${budget.steps} steps and ${budget.seconds} s.`,
    faults.length === 0
      ? 'No fault (control).'
      : faults.map((planned) => `  ${faultText(planned)}`).join('\n'),
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
  summary: 'List the suites, or the problems of one suite',
  positionals: '[SUITE|PROBLEM|FILE]',
  examples: [
    'remedium problems                                         list the suites',
    'remedium problems hard --system train-ticket              list the problems of a suite on one system',
    'remedium problems hard --seed 7                           draw the problems from another seed',
  ],
  options: {
    system: { type: 'string', value: 'SYSTEM', about: 'only problems on this system', multiple: true },
    seed: SEED_OPTION,
  },
  async run({ positionals: [source, ...more], options, answer }) {
    if (more.length > 0) throw new RemediumError('bad-argument', 'Name one suite, problem or file.')
    if (source === undefined) {
      const { listSuites } = await import('#exam/problems')
      const suites = listSuites()
      answer(
        { suites },
        toTable(
          ['SUITE', 'DESCRIPTION'],
          suites.map(({ name, about }) => [name, about]),
        ),
      )
      return 0
    }
    const { chooseProblems } = await import('../validity/choose-problems.ts')
    const { chooseSeed, requireDrawnProblems } = await import('../runs/choose-seed.ts')
    const { seed, variant } = await chooseSeed(options.seed)
    await requireDrawnProblems([source], { variant })
    const chosen = await chooseProblems(source, { ...options, seed })
    answer({ problems: chosen }, chosen.length === 1 ? problemText(chosen[0]!) : tableText(chosen))
    return 0
  },
})
