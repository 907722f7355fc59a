/** Counts the playbooks of recorded runs that the interpreter does not support. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPlaybookRunner } from '#platform/playbook'
import { toRemediumError } from '#spec'
import { loadSystem } from '#world/systems'
import { createInterpreter } from './create-interpreter.ts'
import { createFilledCluster } from './run-cases.ts'

interface RecordedPlaybook {
  readonly system: string
  readonly text: string
}

export interface RecordedCounts {
  readonly records: number
  readonly playbooks: number
  /** Playbooks that are refused before they run, on every engine. */
  readonly refused: number
  /** The reasons, one for each unsupported playbook. */
  readonly unsupported: readonly string[]
}

/** The events of a record, also of one whose last line is not complete. */
const eventsOf = (file: string): any[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line)]
      } catch {
        return []
      }
    })

const playbooksOf = (file: string): RecordedPlaybook[] => {
  const events = eventsOf(file)
  const system = events.find(({ type }) => type === 'episode-started')?.problem.system
  return events
    .filter(({ type, action }) => type === 'step-taken' && action === 'run_playbook')
    .flatMap(({ input }) => (typeof input?.playbook === 'string' ? [{ system, text: input.playbook }] : []))
}

/** Interprets each playbook on a new cluster with the objects of its system. */
const attempt = async ({
  system,
  text,
}: RecordedPlaybook): Promise<{ refused?: true; unsupported?: string }> => {
  const { namespace, manifests } = await loadSystem(system)
  const cluster = await createFilledCluster(manifests)
  const interpret = createInterpreter(cluster)
  const runner = createPlaybookRunner({
    runOnEngine: ({ text: vetted, groups, timeoutMs }) => interpret(vetted, { groups, timeoutMs }),
    ...{ api: cluster.api, namespace },
  })
  try {
    return (await runner.run(text)).isRefused ? { refused: true } : {}
  } catch (error) {
    const { code, message } = toRemediumError(error)
    if (code !== 'unsupported') throw error
    return { unsupported: message }
  } finally {
    cluster.cluster.stop()
  }
}

/** Reads all records below the folder. */
export const countRecorded = async (folder: string): Promise<RecordedCounts> => {
  const files = globSync('**/*.jsonl', { cwd: folder }).map((name) => join(folder, name))
  const found = files.flatMap(playbooksOf)
  const results = []
  for (const playbook of found) results.push(await attempt(playbook))
  return {
    records: files.length,
    playbooks: found.length,
    refused: results.filter(({ refused }) => refused).length,
    unsupported: results.flatMap(({ unsupported }) => unsupported ?? []),
  }
}
