/** `remedium score`: judges records of episodes once more, without a cluster. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { RemediumError } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'
import { toTable } from '../table.ts'

const listRecords = (path: string, suffix: string): string[] => {
  try {
    if (!statSync(path).isDirectory()) return [path]
  } catch (cause) {
    throw new RemediumError('bad-argument', `There is no file or folder ${path}.`, { cause })
  }
  // The folder of a run has a folder of records in it.
  const folder = existsSync(join(path, 'manifest.json')) ? join(path, 'records') : path
  const files = readdirSync(folder).filter((name) => name.endsWith(suffix))
  if (files.length === 0)
    throw new RemediumError('bad-argument', `There are no records (*${suffix}) in ${folder}.`)
  return files.sort().map((name) => join(folder, name))
}

export const score = defineCommand({
  summary:
    'Judge records of episodes once more, without a cluster, compare with the verdicts they hold, and sum up',
  positionals: 'RUN|DIR|FILE ...',
  examples: [
    'remedium score records                                  all records of a folder; ends with 1 at any difference',
    'remedium score runs/20261115-154230-easy                all records of a run',
    'remedium score records/p1.reference.jsonl --json        one, with both verdicts in every word',
  ],
  async run({ positionals, answer }) {
    if (positionals.length === 0)
      throw new RemediumError('bad-argument', 'Name the records to judge, or folders or runs of them.')
    const { RECORD_SUFFIX, scoreRecord } = await import('../../runs/index.ts')
    const { parseRecord } = await import('../../episode/index.ts')
    const { aggregateScores, judgeRecord } = await import('../../oracles/index.ts')
    const { solverTable } = await import('../validity/solver-scores.ts')
    const { loadFaults } = await import('../../faults/index.ts')
    const { loadNamedSystem } = await import('../systems/load-named-system.ts')
    const { createSystemView } = await import('../../system-view/index.ts')
    const faults = await loadFaults()
    const systemOf = async (name: string) => createSystemView(await loadNamedSystem(name))
    const files = positionals.flatMap((path) => listRecords(path, RECORD_SUFFIX))
    const scores: ({ file: string } & NonNullable<Awaited<ReturnType<typeof scoreRecord>>>)[] = []
    const unjudged: string[] = []
    for (const file of files) {
      const events = parseRecord(readFileSync(file, 'utf8'), file)
      const found = await scoreRecord(events, { faults, systemOf, judge: judgeRecord })
      if (found === undefined) unjudged.push(file)
      else scores.push({ file, ...found })
    }
    const different = scores.filter(({ same }) => !same)
    const solvers = [...new Set(scores.map(({ solver }) => solver))].sort().map((solver) => ({
      solver,
      ...aggregateScores(
        scores
          .filter((one) => one.solver === solver)
          .map(({ isFaulty, recomputed: verdict }) => ({ isFaulty, verdict })),
      ),
    }))
    const rows = scores.map(({ file, recorded, recomputed, same }) => [
      ...[file, recorded.outcome, recomputed.outcome, same ? 'same' : 'DIFFERENT'],
    ])
    const sentences = [
      `${scores.length} records judged again, ${different.length} verdicts differ.`,
      ...(unjudged.length === 0 ? [] : [`Without a verdict: ${unjudged.join(', ')}.`]),
    ]
    answer(
      { scores, solvers, different: different.length, unjudged },
      `${toTable(['RECORD', 'RECORDED', 'RECOMPUTED', 'VERDICT'], rows)}\n\n${solverTable(solvers)}\n\n${sentences.join('\n')}`,
    )
    return different.length === 0 ? 0 : 1
  },
})
