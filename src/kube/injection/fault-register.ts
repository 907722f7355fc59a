/** The faults that act now: finds their pods, does them by their kind, and undoes them, at the latest in the end. */
import type { Clock } from '../../kit/index.ts'
import type {
  AppliedFault,
  Outcome,
  PodFault,
  PodFaults,
  PodProcesses,
  PodProcessView,
  Reply,
} from '../ports/index.ts'
import type { ApplyFault } from './apply-fault.ts'
import { targetContainer } from './target-container.ts'

/** How each kind of fault is done. */
export type FaultKinds = {
  readonly [Type in PodFault['type']]: ApplyFault<Extract<PodFault, { type: Type }>>
}

export interface FaultRegister extends PodFaults {
  /** Recovers all. Faults that come later are refused. */
  close(): Promise<void>
}

/** A fault from the moment it was asked for. */
interface ActingFault {
  readonly uid: string
  /** The pod was taken away: nobody wants to hear of errors any more. */
  dropped: boolean
  /** Undoes it as soon as it is done, once; again only where that has failed. */
  undo(): Promise<void>
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const nameOf = ({ target }: PodFault): string => `pod ${target.namespace}/${target.pod}`

/** Throws where the pod, or the container that the fault is about, does not run. */
const findTarget = (fault: PodFault, processes: PodProcesses): PodProcessView => {
  const { target } = fault
  const view = processes.find(target.uid)
  if (view === undefined) throw new Error(`${nameOf(fault)} does not run on this machine`)
  if ('container' in target) targetContainer(target, view)
  return view
}

const applyByKind = (
  kinds: FaultKinds,
  fault: PodFault,
  view: PodProcessView,
): Promise<() => Promise<void>> =>
  // The type of the fault and that of the function are the same word, which the compiler cannot see.
  (kinds[fault.type] as ApplyFault<PodFault>)(fault, view)

export const createFaultRegister = ({
  processes,
  kinds,
  clock,
  forget,
}: {
  processes: PodProcesses
  kinds: FaultKinds
  clock: Clock
  /** Lets go at once of whatever would keep alive a pod that is taken away. */
  forget: (uid: string) => void
}): FaultRegister => {
  const acting = new Set<ActingFault>()
  let closing: Promise<void> | undefined

  /** Never inside the call that it answers, nor inside a promise, which would swallow its errors. */
  const answer = <T>(promise: Promise<T>, reply: Reply<T>): void => {
    const tell = (outcome: Outcome<T>): void => clock.defer(() => reply(outcome))
    promise.then(
      (value) => tell({ ok: true, value }),
      (error) => tell({ ok: false, error: toError(error) }),
    )
  }

  const register = (uid: string, applying: Promise<() => Promise<void>>): ActingFault => {
    let undoing: Promise<void> | undefined
    const undo = async (): Promise<void> => {
      try {
        await (await applying)()
      } catch (error) {
        if (!entry.dropped) {
          // Whoever asks again means another try.
          undoing = undefined
          throw error
        }
      }
      acting.delete(entry)
    }
    const entry: ActingFault = {
      uid,
      dropped: false,
      undo() {
        undoing ??= undo()
        return undoing
      },
    }
    acting.add(entry)
    applying.catch(() => acting.delete(entry))
    return entry
  }

  const begin = async (fault: PodFault): Promise<AppliedFault> => {
    if (closing !== undefined) throw new Error('the engine is closing')
    const applying = applyByKind(kinds, fault, findTarget(fault, processes))
    const entry = register(fault.target.uid, applying)
    await applying
    if (entry.dropped) throw new Error(`${nameOf(fault)} was taken away`)
    return { recover: (reply) => answer(entry.undo(), reply) }
  }

  const stopListening = processes.onRemoval((uid) => {
    forget(uid)
    for (const entry of [...acting])
      if (entry.uid === uid) {
        entry.dropped = true
        // It does not throw any more.
        void entry.undo()
      }
  })

  const close = async (): Promise<void> => {
    const ends = await Promise.allSettled([...acting].map((entry) => entry.undo()))
    stopListening()
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  return {
    apply: (fault, reply) => answer(begin(fault), reply),
    close() {
      closing ??= close()
      return closing
    },
  }
}
