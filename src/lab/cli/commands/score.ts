/** `remedium score`: judges records of episodes again, without a cluster. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FileScore, Score } from '#lab/records'
import { toTable } from '#lab/text'
import { RemediumError } from '#spec'
import { defineCommand } from '../define-command.ts'
import type { SolverScores } from '../validity/solver-scores.ts'

type ScoredFile = FileScore & { readonly file: string }
type ScoredRecord = Score & { readonly file: string }

const listRecords = (path: string, suffix: string): string[] => {
  try {
    if (!statSync(path).isDirectory()) return [path]
  } catch (cause) {
    throw new RemediumError('bad-argument', `There is no file or folder ${path}.`, { cause })
  }
  const folder = existsSync(join(path, 'manifest.json')) ? join(path, 'records') : path
  const files = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith(suffix))
  if (files.length === 0)
    throw new RemediumError('bad-argument', `There are no records (*${suffix}) in ${folder}.`)
  return files.sort().map((name) => join(folder, name))
}

const scoreFiles = async (files: readonly string[]): Promise<readonly ScoredFile[]> => {
  const { scoreFile } = await import('#lab/records')
  const { judgeRecord } = await import('#exam/oracles')
  const { loadFaults } = await import('#exam/faults')
  const { loadNamedSystem } = await import('../systems/load-named-system.ts')
  const { createSystemView } = await import('#world/system-view')
  const faults = await loadFaults()
  const systemOf = async (name: string) => createSystemView(await loadNamedSystem(name))
  const scored: ScoredFile[] = []
  for (const file of files)
    scored.push({ file, ...(await scoreFile(file, { faults, systemOf, judge: judgeRecord })) })
  return scored
}

const aggregate = async (scores: readonly Score[]): Promise<SolverScores[]> => {
  const { aggregateScores } = await import('#exam/oracles')
  return [...new Set(scores.map(({ solver }) => solver))].sort().map((solver) => ({
    solver,
    ...aggregateScores(
      scores
        .filter((judged) => judged.solver === solver)
        .map(({ isFaulty, recomputed: verdict }) => ({ isFaulty, verdict })),
    ),
  }))
}

interface VoidRecord {
  readonly file: string
  readonly blame: string
  readonly reason: string
}

/** Void attempts are kept as `EPISODE.void-N.jsonl`; their verdict says why they do not count. */
const listVoid = (scores: readonly ScoredRecord[]): VoidRecord[] =>
  scores.flatMap(({ file, recorded: { outcome, blame = 'harness', reason } }) =>
    outcome === 'void' ? [{ file, blame, reason }] : [],
  )

interface Result {
  readonly scores: readonly ScoredRecord[]
  readonly solvers: readonly SolverScores[]
  readonly different: number
  readonly void: readonly VoidRecord[]
  readonly unjudged: readonly string[]
  readonly bad: readonly { readonly file: string; readonly message: string }[]
}

const toResult = async (scored: readonly ScoredFile[]): Promise<Result> => {
  const scores = scored.flatMap((scoredFile) =>
    scoredFile.kind === 'judged' ? [{ file: scoredFile.file, ...scoredFile.score }] : [],
  )
  return {
    scores,
    solvers: await aggregate(scores),
    different: scores.filter(({ isSame }) => !isSame).length,
    void: listVoid(scores),
    unjudged: scored.filter(({ kind }) => kind === 'unjudged').map(({ file }) => file),
    bad: scored.flatMap((scoredFile) =>
      scoredFile.kind === 'bad' ? [{ file: scoredFile.file, message: scoredFile.error.message }] : [],
    ),
  }
}

const toText = async (result: Result): Promise<string> => {
  const { solverTable } = await import('../validity/solver-scores.ts')
  const { scores, solvers, different, unjudged, bad } = result
  const rows = scores.map(({ file, recorded, recomputed, isSame }) => [
    ...[file, recorded.outcome, recomputed.outcome, isSame ? 'same' : 'DIFFERENT'],
  ])
  const voidLines = result.void.map(({ file, blame, reason }) => `  ${file}: ${blame}: ${reason}`)
  return [
    toTable(['RECORD', 'RECORDED', 'RECOMPUTED', 'VERDICT'], rows),
    solverTable(solvers),
    ...(voidLines.length === 0 ? [] : [`Void records, which do not count:\n${voidLines.join('\n')}`]),
    [
      `${scores.length} records judged again, ${different} verdicts differ.`,
      ...(unjudged.length === 0 ? [] : [`Without a verdict: ${unjudged.join(', ')}.`]),
      ...bad.map(({ message }) => message),
    ].join('\n'),
  ].join('\n\n')
}

export const score = defineCommand({
  summary: 'Judge records of episodes again, without a cluster, and compare with the recorded verdicts',
  positionals: 'RUN|DIR|FILE ...',
  examples: [
    'remedium score records                                  all records of a folder; exits with 1 if a verdict differs',
    'remedium score runs/20261115-154230-easy                all records of a run',
    'remedium score records/p1.reference.jsonl --json        one record, with both verdicts in full',
  ],
  async run({ positionals, answer }) {
    if (positionals.length === 0)
      throw new RemediumError('bad-argument', 'Name records, folders of records, or run folders.')
    const { RECORD_SUFFIX } = await import('#lab/records')
    const scored = await scoreFiles(positionals.flatMap((path) => listRecords(path, RECORD_SUFFIX)))
    const [first, ...others] = scored
    if (first?.kind === 'bad' && others.length === 0) throw first.error
    const result = await toResult(scored)
    answer(result, await toText(result))
    return result.different === 0 && result.bad.length === 0 && result.scores.length > 0 ? 0 : 1
  },
})
