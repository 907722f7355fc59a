/** `remedium score`: judges records of episodes once more, without a cluster. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FileScore, Score } from '../../runs/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'
import { toTable } from '../table.ts'
import type { SolverScores } from '../validity/solver-scores.ts'

const listRecords = (path: string, suffix: string): string[] => {
  try {
    if (!statSync(path).isDirectory()) return [path]
  } catch (cause) {
    throw new RemediumError('bad-argument', `There is no file or folder ${path}.`, { cause })
  }
  // The folder of a run has a folder of records in it.
  const folder = existsSync(join(path, 'manifest.json')) ? join(path, 'records') : path
  const files = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith(suffix))
  if (files.length === 0)
    throw new RemediumError('bad-argument', `There are no records (*${suffix}) in ${folder}.`)
  return files.sort().map((name) => join(folder, name))
}

const readAll = async (files: readonly string[]): Promise<readonly (FileScore & { file: string })[]> => {
  const { scoreFile } = await import('../../runs/index.ts')
  const { judgeRecord } = await import('../../oracles/index.ts')
  const { loadFaults } = await import('../../faults/index.ts')
  const { loadNamedSystem } = await import('../systems/load-named-system.ts')
  const { createSystemView } = await import('../../system-view/index.ts')
  const faults = await loadFaults()
  const systemOf = async (name: string) => createSystemView(await loadNamedSystem(name))
  const found: (FileScore & { file: string })[] = []
  for (const file of files)
    found.push({ file, ...(await scoreFile(file, { faults, systemOf, judge: judgeRecord })) })
  return found
}

const sumUp = async (scores: readonly Score[]): Promise<SolverScores[]> => {
  const { aggregateScores } = await import('../../oracles/index.ts')
  return [...new Set(scores.map(({ solver }) => solver))].sort().map((solver) => ({
    solver,
    ...aggregateScores(
      scores
        .filter((one) => one.solver === solver)
        .map(({ isFaulty, recomputed: verdict }) => ({ isFaulty, verdict })),
    ),
  }))
}

export const score = defineCommand({
  summary:
    'Judge records of episodes once more, without a cluster, compare with the verdicts they hold, and sum up',
  positionals: 'RUN|DIR|FILE ...',
  examples: [
    'remedium score records                                  all of a folder; ends with 1 at any difference or bad record',
    'remedium score runs/20261115-154230-easy                all records of a run',
    'remedium score records/p1.reference.jsonl --json        one, with both verdicts in every word',
  ],
  async run({ positionals, answer }) {
    if (positionals.length === 0)
      throw new RemediumError('bad-argument', 'Name the records to judge, or folders or runs of them.')
    const { RECORD_SUFFIX } = await import('../../runs/index.ts')
    const { solverTable } = await import('../validity/solver-scores.ts')
    const found = await readAll(positionals.flatMap((path) => listRecords(path, RECORD_SUFFIX)))
    const [first, ...others] = found
    if (first?.kind === 'bad' && others.length === 0) throw first.error
    const scores = found.flatMap((one) => (one.kind === 'judged' ? [{ file: one.file, ...one.score }] : []))
    const unjudged = found.filter(({ kind }) => kind === 'unjudged').map(({ file }) => file)
    const bad = found.flatMap((one) =>
      one.kind === 'bad' ? [{ file: one.file, message: one.error.message }] : [],
    )
    const different = scores.filter(({ same }) => !same)
    const solvers = await sumUp(scores)
    const rows = scores.map(({ file, recorded, recomputed, same }) => [
      ...[file, recorded.outcome, recomputed.outcome, same ? 'same' : 'DIFFERENT'],
    ])
    const sentences = [
      `${scores.length} records judged again, ${different.length} verdicts differ.`,
      ...(unjudged.length === 0 ? [] : [`Without a verdict: ${unjudged.join(', ')}.`]),
      ...bad.map(({ message }) => message),
    ]
    answer(
      { scores, solvers, different: different.length, unjudged, bad },
      `${toTable(['RECORD', 'RECORDED', 'RECOMPUTED', 'VERDICT'], rows)}\n\n${solverTable(solvers)}\n\n${sentences.join('\n')}`,
    )
    return different.length === 0 && bad.length === 0 && scores.length > 0 ? 0 : 1
  },
})
