/** Faults on the files of a simulated container: requests take longer, fail, or change data. */
import { posix } from 'node:path'
import type { Clock, Random } from '#kit'
import {
  type CallEffects,
  createEffects,
  type Effects,
  type IoRule,
  UNAFFECTED,
} from '#platform/kube/io-effects'
import { isWithin } from './mount-table.ts'
import { createWaitingRequests } from './waiting-requests.ts'

/** One request to the file system: its name in chaos objects, and the paths in the container that it concerns. */
export interface FileRequest {
  readonly method: string
  readonly paths: readonly string[]
}

/** The error number of the first failed request, or the mistakes in the data of the requests. */
export interface FaultOutcome {
  readonly errno?: number
  readonly mistakes: CallEffects['mistakes']
}

export interface FileFaults {
  /** Whether there is a fault. */
  readonly isActive: boolean
  /**
   * Throws if the pattern of the rule is invalid, or a fault acts on a parent folder or a subfolder. Returns a function that removes the
   * fault and releases the requests that it delays.
   */
  add(rule: IoRule): () => void
  /** The outcome without delays, for synchronous calls. */
  outcomeOf(requests: readonly FileRequest[]): FaultOutcome
  /** Calls `done` with the outcome after the sum of the delays of the requests. */
  pass(requests: readonly FileRequest[], done: (outcome: FaultOutcome) => void): void
  /** Drops the delayed requests. */
  close(): void
}

const NO_EFFECT: FaultOutcome = { mistakes: [] }

/** Mount points themselves are not looked up, only the paths below them. */
const isConcerned = (folder: string, method: string, path: string): boolean =>
  isWithin(path, folder) && (method !== 'lookup' || path !== folder)

/** Adds the effects of one request to the outcome of the earlier ones. Only requests that transfer data have mistakes. */
const addEffects = (
  outcome: FaultOutcome,
  { method }: FileRequest,
  { errno, mistakes }: CallEffects,
): FaultOutcome => {
  if (errno !== undefined) return { errno, mistakes: [] }
  const isTransfer = method === 'read' || method === 'write'
  return isTransfer && mistakes.length > 0 ? { mistakes: [...outcome.mistakes, ...mistakes] } : outcome
}

interface FaultyFolder {
  readonly path: string
  readonly effects: Effects
  /** The number of faults. */
  faults: number
}

export const createFileFaults = (clock: Clock, random: Random): FileFaults => {
  const folders: FaultyFolder[] = []
  const waiting = createWaitingRequests(clock)
  let lastId = 0

  const effectsOn = ({ method, paths }: FileRequest): CallEffects => {
    const folder = folders.find(({ path }) => paths.some((each) => isConcerned(path, method, each)))
    if (folder === undefined) return UNAFFECTED
    return folder.effects.effectsOn(method, () => paths.filter((path) => isWithin(path, folder.path)))
  }

  const findFolder = (path: string): FaultyFolder => {
    const overlapping = folders.find((each) => isWithin(each.path, path) || isWithin(path, each.path))
    if (overlapping === undefined) return { path, effects: createEffects(random), faults: 0 }
    if (overlapping.path === path) return overlapping
    throw new Error(`a fault already acts on ${overlapping.path}, which overlaps with ${path}`)
  }

  const remove = (folder: FaultyFolder, id: number): void => {
    folder.effects.remove(id)
    folder.faults -= 1
    if (folder.faults === 0) folders.splice(folders.indexOf(folder), 1)
    waiting.release(id)
  }

  const passFrom = (
    requests: readonly FileRequest[],
    index: number,
    before: FaultOutcome,
    done: (outcome: FaultOutcome) => void,
  ): void => {
    const request = requests[index]
    if (request === undefined || before.errno !== undefined) {
      done(before)
      return
    }
    const effects = effectsOn(request)
    const proceed = (): void => passFrom(requests, index + 1, addEffects(before, request, effects), done)
    if (effects.delayMs > 0) waiting.hold(effects, proceed)
    else proceed()
  }

  return {
    get isActive() {
      return folders.length > 0
    },
    add(rule) {
      const folder = findFolder(posix.resolve('/', rule.volumePath))
      lastId += 1
      const id = lastId
      folder.effects.add(id, rule)
      if (folder.faults === 0) folders.push(folder)
      folder.faults += 1
      let isRemoved = false
      return () => {
        if (!isRemoved) remove(folder, id)
        isRemoved = true
      }
    },
    outcomeOf(requests) {
      let outcome = NO_EFFECT
      for (const request of requests)
        if (outcome.errno === undefined) outcome = addEffects(outcome, request, effectsOn(request))
      return outcome
    },
    pass: (requests, done) => passFrom(requests, 0, NO_EFFECT, done),
    close: waiting.close,
  }
}
