/** `remedium export`: what agents said and did in a run, in forms that other programs take. */
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type EpisodeResult, RemediumError, type RunManifest } from '../../spec/index.ts'
import { defineCommand } from '../define-command.ts'

const FORMATS = ['atif', 'sharegpt'] as const
const VERDICTS = ['resolved', 'unresolved', 'all'] as const

interface Exported {
  /** The episode, with the conversation where it had several; after the name of its run where there are several. */
  readonly id: string
  readonly value: object
}

interface NamedRun {
  readonly folder: string
  /** Absent where it is the only one. */
  readonly name: string | undefined
  readonly manifest: RunManifest
  readonly results: readonly EpisodeResult[]
}

interface Wish {
  readonly format: (typeof FORMATS)[number]
  readonly verdict: (typeof VERDICTS)[number]
}

/** One by one: records are big. */
async function* exportRun(
  { folder, name: run, manifest, results }: NamedRun,
  { format, verdict }: Wish,
): AsyncGenerator<Exported> {
  const { recordPathOf, runPaths, toAtif, toShareGpt, toTrajectory } = await import('../../runs/index.ts')
  const { readRecord } = await import('../../episode/index.ts')
  for (const { episode, outcome, contender: name } of results) {
    const path = recordPathOf(runPaths(folder).records, episode)
    if ((verdict !== 'all' && outcome !== verdict) || !existsSync(path)) continue
    const trajectory = toTrajectory(readRecord(path))
    const contender = manifest.contenders.find((one) => one.name === name)
    const id = run === undefined ? episode : `${run}/${episode}`
    if (format === 'sharegpt') for (const value of toShareGpt(trajectory, id)) yield { id: value.id, value }
    else yield { id, value: toAtif(trajectory, { session: id, version: manifest.version, contender }) }
  }
}

const isFolder = (path: string): boolean =>
  path.endsWith('/') || (existsSync(path) && statSync(path).isDirectory())

const write = (file: string, text: string, flag: 'w' | 'a' = 'w'): void => {
  try {
    writeFileSync(file, text, { flag })
  } catch (cause) {
    throw new RemediumError('bad-argument', `Trajectories cannot be written to ${file}.`, {
      hint: 'Name another file or folder with --out.',
      cause,
    })
  }
}

/** Where everything goes: lines into one file or to whoever reads, or a file for each. */
const createSink = async (out: string | undefined) => {
  if (out === undefined)
    return ({ value }: Exported): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
  if (isFolder(out)) {
    const { fileNameOf, makeFolder } = await import('../../runs/index.ts')
    makeFolder(out, '--out')
    return ({ id, value }: Exported): void => {
      const file = join(out, dirname(id), fileNameOf(basename(id), '.json'))
      makeFolder(dirname(file), '--out')
      write(file, `${JSON.stringify(value, undefined, 2)}\n`)
    }
  }
  write(out, '')
  return ({ value }: Exported): void => write(out, `${JSON.stringify(value)}\n`, 'a')
}

const exportRuns = defineCommand({
  summary: 'Write what agents said and did in runs as trajectories for training and for other programs',
  positionals: 'RUN ...',
  examples: [
    'remedium export runs/20261115-154230-easy --format atif --out trajectories/      a file for each episode',
    'remedium export runs/one runs/two --out trajectories/     a folder for each run, and its name in the ids',
    'remedium export RUN --format sharegpt --verdict resolved --out good.jsonl        what to learn from',
  ],
  options: {
    format: {
      type: 'string',
      value: 'FORMAT',
      about: 'atif (Agent Trajectory Interchange Format) or sharegpt',
      default: 'atif',
      choices: FORMATS,
    },
    verdict: {
      type: 'string',
      value: 'VERDICT',
      about: 'only resolved or unresolved episodes, or all',
      default: 'all',
      choices: VERDICTS,
    },
    out: {
      type: 'string',
      value: 'FILE|DIR/',
      about: 'a file of JSON lines, or a folder with a file for each (default: lines on standard output)',
    },
  },
  async run({ positionals, options, answer, progress }) {
    if (positionals.length === 0) throw new RemediumError('bad-argument', 'Name the folder of a run.')
    const wish = { format: options.format, verdict: options.verdict }
    const { readRun } = await import('../../runs/index.ts')
    const { namesOfRuns } = await import('../runs/names-of-runs.ts')
    const names = positionals.length === 1 ? [] : namesOfRuns(positionals)
    const runs = positionals.map((folder, index) => ({ folder, name: names[index], ...readRun(folder) }))
    const put = await createSink(options.out)
    let count = 0
    for (const run of runs)
      for await (const one of exportRun(run, wish)) {
        put(one)
        count += 1
      }
    const sentence = `${count} trajectories (${wish.format}, ${wish.verdict})`
    if (options.out === undefined) progress(sentence)
    else answer({ count, ...wish, out: options.out }, `${sentence} in ${options.out}`)
    return 0
  },
})

// A word of the language, which only names between brackets may be.
export { exportRuns as export }
