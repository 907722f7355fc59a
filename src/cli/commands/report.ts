/** `remedium report`: one page of HTML about one or several runs, which needs nothing else. */
import { writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { ReportedRun } from '../../report/index.ts'
import { RemediumError } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'

const PAGE = 'report.html'

const openRun = async (folder: string, name: string): Promise<ReportedRun> => {
  const { readRun, recordPathOf, runPaths, summariseRun } = await import('../../runs/index.ts')
  const { readRecord } = await import('../../episode/index.ts')
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

const write = (file: string, page: string): void => {
  try {
    writeFileSync(file, page)
  } catch (cause) {
    throw new RemediumError('bad-argument', `The page cannot be written to ${file}.`, {
      hint: 'Name another file with --out.',
      cause,
    })
  }
}

export const report = defineCommand({
  summary: 'Make one self-contained HTML page of one or several runs',
  positionals: 'DIR ...',
  examples: [
    'remedium report runs/a                             runs/a/report.html',
    'remedium report runs/a runs/b --out both.html      side by side',
    'remedium report runs/a --json                      the figures behind the page, too',
  ],
  options: {
    out: {
      type: 'string',
      value: 'FILE',
      about: `where the page is written; of one run, ${PAGE} in its folder, of several, ${PAGE} here`,
    },
  },
  async run({ positionals, options, answer }) {
    const [first, ...others] = positionals
    if (first === undefined)
      throw new RemediumError('bad-argument', 'Name the folder of a run, or several to set side by side.')
    const { namesOfRuns } = await import('../runs/names-of-runs.ts')
    const names = namesOfRuns(positionals)
    const { reportPage } = await import('../../report/index.ts')
    const runs = await Promise.all(positionals.map((folder, index) => openRun(folder, names[index]!)))
    const file = options.out ?? (others.length === 0 ? join(first, PAGE) : PAGE)
    write(file, await reportPage(runs))
    answer({ page: resolve(file), runs: runs.map(({ summary }) => summary) }, file)
    return 0
  },
})
