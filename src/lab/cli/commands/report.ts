/** `remedium report`: writes a self-contained HTML page about one or several runs. */
import { writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { giveToCaller } from '#kit'
import type { ReportedRun } from '#lab/report'
import { RemediumError } from '#spec'
import { defineCommand } from '../define-command.ts'

const PAGE = 'report.html'

const openRun = async (folder: string, name: string): Promise<ReportedRun> => {
  const { readRun, runPaths, summariseRun } = await import('#lab/runs')
  const { recordPathOf } = await import('#lab/records')
  const { readRecord } = await import('#exam/episode')
  const { manifest, results } = readRun(folder)
  const { records } = runPaths(folder)
  return {
    name,
    manifest,
    results,
    summary: summariseRun(manifest, results),
    recordPath: (episode) => relative(folder, recordPathOf(records, episode)),
    record: (episode) => readRecord(recordPathOf(records, episode), { isGrowing: true }),
  }
}

const writePage = (file: string, page: string): void => {
  try {
    writeFileSync(file, page)
    giveToCaller(file)
  } catch (cause) {
    throw new RemediumError('bad-argument', `The report cannot be written to ${file}.`, {
      hint: 'Name another file with --out.',
      cause,
    })
  }
}

export const report = defineCommand({
  summary: 'Write a self-contained HTML report of one or several runs',
  positionals: 'DIR ...',
  examples: [
    'remedium report runs/a                             write runs/a/report.html',
    'remedium report runs/a runs/b --out both.html      compare two runs',
    'remedium report runs/a --json                      also print the figures of the page',
  ],
  options: {
    out: {
      type: 'string',
      value: 'FILE',
      about: `the file of the report (default: ${PAGE} in the folder of a single run, or next to the first of several)`,
    },
  },
  async run({ positionals, options, answer }) {
    const [first, ...others] = positionals
    if (first === undefined) throw new RemediumError('bad-argument', 'Name one or several run folders.')
    const { toRunNames } = await import('../runs/to-run-names.ts')
    const names = toRunNames(positionals)
    const { reportPage } = await import('#lab/report')
    const runs = await Promise.all(positionals.map((folder, index) => openRun(folder, names[index]!)))
    const file = options.out ?? join(first, others.length === 0 ? '' : '..', PAGE)
    writePage(file, await reportPage(runs))
    answer({ page: resolve(file), runs: runs.map(({ summary }) => summary) }, file)
    return 0
  },
})
