/**
 * The program of processes that fork at prepared incidents. The first process loads all code. Its forks know one system each: they play
 * an episode, so that the code is compiled. Their forks prepare one incident each, and the forks of these make one attempt each.
 */
import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { type Incident, referenceSolver } from '#exam/episode'
import type { BlockingLink } from '#machine/forks'
import { type Fault, maxFaultTimeOf, type Problem } from '#spec'
import { createEngine } from '../engines.ts'
import type { LabClusterKeeper } from '../worker/lab-cluster-keeper.ts'
import { type LabCluster, openLabCluster } from '../worker/open-lab-cluster.ts'
import type { ForkPointReport, IncidentOrder } from './fork-messages.ts'
import { createForkReplies, type ForkReplies } from './serve-calls.ts'

export interface ForkedIncident<S> {
  /** What the caller of the attempt sent. */
  readonly setup: S
  readonly faults: ReadonlyMap<string, Fault>
  /** Opens the prepared incident; rejects if it could not be prepared. Its other functions do nothing: the process ends after the attempt. */
  readonly labClusters: LabClusterKeeper
  stage(text: string): void
}

export interface ServeOptions {
  loadFaults(): Promise<Faults>
  /** The longest time of one call of an attempt at the problem. */
  maxMsOf(problem: Problem): number
}

interface Prepared {
  readonly labCluster: LabCluster
  readonly incident: Incident
}

/** In addition to the time of the faults. */
const PREPARING_MS = 900_000

/** Clusters of other engines have processes, which forks would share. */
const FORKED_ENGINE = 'sim'

type Faults = ReadonlyMap<string, Fault>

/** Opens a lab cluster as `LabClusterKeeper` does, and prepares the incident. */
const prepare = async (
  { problem, engine, secret, seed }: IncidentOrder,
  faults: Faults,
  { stage, whileAlive }: ForkReplies,
): Promise<Prepared> => {
  const { signal } = new AbortController()
  const preparing = async (): Promise<Prepared> => {
    const labCluster = await openLabCluster({ system: problem.system, engine, seed, faults, signal, stage })
    stage(`preparing ${problem.id}`)
    return { labCluster, incident: await labCluster.laboratory.prepare(problem, { secret }) }
  }
  return whileAlive(PREPARING_MS + 2 * maxFaultTimeOf(problem), preparing())
}

/** Its result does not matter: the code is compiled, or will be by the forks. */
const warmUp = async (order: IncidentOrder, faults: Faults, replies: ForkReplies): Promise<void> => {
  try {
    const { labCluster, incident } = await prepare(order, faults, replies)
    await replies.whileAlive(PREPARING_MS, incident.attempt(referenceSolver(incident)))
    await labCluster.close()
  } catch {
    // The forks report what is wrong.
  }
}

/** The private memory of this process. */
const readOwnMib = (): number => {
  const text = readFileSync('/proc/self/smaps_rollup', 'latin1')
  const kib = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm)].map(([, value]) => Number(value))
  return kib.reduce((sum, value) => sum + value, 0) / 1024
}

const toKeeper = (prepared: Prepared | { readonly error: unknown }): LabClusterKeeper => ({
  async open() {
    if ('error' in prepared) throw prepared.error
    const { labCluster, incident } = prepared
    const laboratory = { ...labCluster.laboratory, prepare: async () => incident }
    return { labCluster: { ...labCluster, laboratory }, provisionMs: 0 }
  },
  checkClock() {},
  async restore() {},
  async close() {},
})

/** `play` receives the incident of an attempt, and returns the function that performs its calls. Resolves in the processes of attempts only. */
export const serveIncidents = async <S>(
  play: (incident: ForkedIncident<S>) => (input: unknown) => Promise<unknown>,
  { loadFaults, maxMsOf }: ServeOptions,
): Promise<void> => {
  // Imported here, because the module loads only on Linux.
  const { compactMemory, connectToSupervisor, continueInForks } = await import('#machine/forks')
  const waitForOrder = <O>(link: BlockingLink) => {
    createForkReplies(link).ready({ mib: readOwnMib() } satisfies ForkPointReport)
    return continueInForks<O>(link)
  }

  const root = connectToSupervisor()
  const faults = await loadFaults()
  // Loads the code of the engine.
  await createEngine(FORKED_ENGINE, () => {})
  flushCompileCache()
  compactMemory()
  const ofSystem = await waitForOrder<IncidentOrder>(root)

  await warmUp(ofSystem.order, faults, createForkReplies(ofSystem.link))
  compactMemory()
  const ofIncident = await waitForOrder<IncidentOrder>(ofSystem.link)

  const { order: request, link } = ofIncident
  const preparing = prepare(request, faults, createForkReplies(link))
  const prepared = await preparing.catch((error: unknown) => ({ error }))
  const ofAttempt = await waitForOrder<S>(link)

  const replies = createForkReplies(ofAttempt.link)
  const { stage } = replies
  const perform = play({ setup: ofAttempt.order, faults, labClusters: toKeeper(prepared), stage })
  replies.serve(maxMsOf(request.problem), perform)
  replies.ready(null)
}
