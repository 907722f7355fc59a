/** `remedium export`: writes the episodes of runs as trajectories. */
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { giveToCaller } from '#kit'
import { type EpisodeResult, RemediumError, type RunManifest } from '#spec'
import { defineCommand } from '../define-command.ts'

const FORMATS = ['atif', 'messages', 'sharegpt'] as const
const VERDICTS = ['resolved', 'unresolved', 'all'] as const

interface Exported {
  /** `EPISODE`; `RUN/EPISODE` for several runs. `/ROLE-NUMBER` follows if there are several conversations. */
  readonly id: string
  readonly value: object
}

interface NamedRun {
  readonly folder: string
  /** Undefined if it is the only run. */
  readonly name: string | undefined
  readonly manifest: RunManifest
  readonly results: readonly EpisodeResult[]
}

interface ExportOptions {
  readonly format: (typeof FORMATS)[number]
  readonly verdict: (typeof VERDICTS)[number]
}

/** Yields one trajectory at a time, because records are large. */
async function* exportRun(
  { folder, name: run, manifest, results }: NamedRun,
  { format, verdict }: ExportOptions,
): AsyncGenerator<Exported> {
  const { recordPathOf } = await import('#lab/records')
  const { runPaths, toAtif, toMessages, toShareGpt, toTrajectory } = await import('#lab/runs')
  const { readRecord } = await import('#exam/episode')
  for (const { episode, outcome, contender: name } of results) {
    const path = recordPathOf(runPaths(folder).records, episode)
    if ((verdict !== 'all' && outcome !== verdict) || !existsSync(path)) continue
    const trajectory = toTrajectory(readRecord(path))
    const contender = manifest.contenders.find((candidate) => candidate.name === name)
    const id = run === undefined ? episode : `${run}/${episode}`
    if (format === 'atif')
      yield { id, value: toAtif(trajectory, { session: id, version: manifest.version, contender }) }
    else
      for (const value of (format === 'messages' ? toMessages : toShareGpt)(trajectory, id))
        yield { id: value.id, value }
  }
}

const isFolder = (path: string): boolean =>
  path.endsWith('/') || (existsSync(path) && statSync(path).isDirectory())

const write = (file: string, text: string, flag: 'w' | 'a' = 'w'): void => {
  try {
    writeFileSync(file, text, { flag })
    giveToCaller(file)
  } catch (cause) {
    throw new RemediumError('bad-argument', `Trajectories cannot be written to ${file}.`, {
      hint: 'Name another file or folder with --out.',
      cause,
    })
  }
}

/** Returns a function that writes JSON lines to standard output or a file, or one file per trajectory to a folder. */
const createSink = async (out: string | undefined) => {
  if (out === undefined)
    return ({ value }: Exported): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
  if (isFolder(out)) {
    const { fileNameOf, makeFolder } = await import('#lab/records')
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
  summary: 'Export the episodes of runs as trajectories for training or other programs',
  positionals: 'RUN ...',
  examples: [
    'remedium export runs/20261115-154230-easy --format atif --out trajectories/      one file per episode',
    'remedium export runs/one runs/two --out trajectories/     one folder per run; ids start with its name',
    'remedium export RUN --format messages --verdict resolved --out good.jsonl        resolved episodes for training',
  ],
  options: {
    format: {
      type: 'string',
      value: 'FORMAT',
      about:
        'atif (Agent Trajectory Interchange Format), messages (for TRL and datasets) or sharegpt (for LLaMA-Factory)',
      default: 'atif',
      choices: FORMATS,
    },
    verdict: {
      type: 'string',
      value: 'VERDICT',
      about: 'export resolved, unresolved or all episodes',
      default: 'all',
      choices: VERDICTS,
    },
    out: {
      type: 'string',
      value: 'FILE|DIR/',
      about: 'a file for JSON lines, or a folder for one file per trajectory (default: standard output)',
    },
  },
  async run({ positionals, options, answer, progress }) {
    if (positionals.length === 0) throw new RemediumError('bad-argument', 'Name a run folder.')
    const choice = { format: options.format, verdict: options.verdict }
    const { readRun } = await import('#lab/runs')
    const { toRunNames } = await import('../runs/to-run-names.ts')
    const names = positionals.length === 1 ? [] : toRunNames(positionals)
    const runs = positionals.map((folder, index) => ({ folder, name: names[index], ...readRun(folder) }))
    const writeTrajectory = await createSink(options.out)
    let count = 0
    for (const run of runs)
      for await (const exported of exportRun(run, choice)) {
        writeTrajectory(exported)
        count += 1
      }
    const sentence = `${count} trajectories (${choice.format}, ${choice.verdict})`
    if (options.out === undefined) progress(sentence)
    else answer({ count, ...choice, out: options.out }, `${sentence} in ${options.out}`)
    return 0
  },
})

// `export` is a reserved word, so it can only be an export name.
export { exportRuns as export }
