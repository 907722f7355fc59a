/** Registers the active faults: finds their pods, applies them by kind, and undoes them. */
import type { Clock } from '#kit'
import type { AppliedFault, Outcome, PodFault, PodFaults, Reply } from '#platform/kube/ports'
import type { ApplyFaultTo, FaultedPod, FaultedPods } from './faulted-pods.ts'
import { targetContainer } from './target-container.ts'

/** The functions that apply each kind of fault. */
export type FaultKinds<Pod extends FaultedPod> = {
  readonly [Type in PodFault['type']]: ApplyFaultTo<Pod, Extract<PodFault, { type: Type }>>
}

export interface FaultRegister extends PodFaults {
  /** Recovers all faults and rejects new ones. */
  close(): Promise<void>
}

/** A fault that is applied or being applied. */
interface ActiveFault {
  readonly uid: string
  /** The pod was removed: errors are ignored. */
  dropped: boolean
  /** Undoes the fault once it is applied; later calls retry only after a failure. */
  undo(): Promise<void>
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const nameOf = ({ target }: PodFault): string => `pod ${target.namespace}/${target.pod}`

/** Throws if the pod or the target container is not running. */
const findTarget = <Pod extends FaultedPod>(fault: PodFault, pods: FaultedPods<Pod>): Pod => {
  const { target } = fault
  const pod = pods.find(target.uid)
  if (pod === undefined) throw new Error(`${nameOf(fault)} is not running on this machine`)
  if ('container' in target) targetContainer(target, pod)
  return pod
}

const applyByKind = <Pod extends FaultedPod>(
  kinds: FaultKinds<Pod>,
  fault: PodFault,
  pod: Pod,
): Promise<() => Promise<void>> =>
  // The compiler cannot correlate the type of the fault with that of the function.
  (kinds[fault.type] as ApplyFaultTo<Pod, PodFault>)(fault, pod)

/** Replies asynchronously and outside the promise, which would swallow errors that `reply` throws. */
const replyWith = <T>(clock: Clock, promise: Promise<T>, reply: Reply<T>): void => {
  const deliver = (outcome: Outcome<T>): void => clock.defer(() => reply(outcome))
  promise.then(
    (value) => deliver({ ok: true, value }),
    (error) => deliver({ ok: false, error: toError(error) }),
  )
}

/** Keeps the fault in `active` until it is undone or applying it fails. */
const registerFault = (
  active: Set<ActiveFault>,
  uid: string,
  applying: Promise<() => Promise<void>>,
): ActiveFault => {
  let undoing: Promise<void> | undefined
  const undo = async (): Promise<void> => {
    try {
      await (await applying)()
    } catch (error) {
      if (!entry.dropped) {
        // The next call retries.
        undoing = undefined
        throw error
      }
    }
    active.delete(entry)
  }
  const entry: ActiveFault = {
    uid,
    dropped: false,
    undo() {
      undoing ??= undo()
      return undoing
    },
  }
  active.add(entry)
  applying.catch(() => active.delete(entry))
  return entry
}

export interface FaultRegisterOptions<Pod extends FaultedPod> {
  readonly pods: FaultedPods<Pod>
  readonly kinds: FaultKinds<Pod>
  readonly clock: Clock
  /** Releases what belongs to a pod that is being removed, before its faults are undone. */
  forget?(uid: string): void
}

export const createFaultRegister = <Pod extends FaultedPod>(
  options: FaultRegisterOptions<Pod>,
): FaultRegister => {
  const { pods, kinds, clock } = options
  const active = new Set<ActiveFault>()
  let closing: Promise<void> | undefined

  const applyFault = async (fault: PodFault): Promise<AppliedFault> => {
    if (closing !== undefined) throw new Error('the engine is closing')
    const applying = applyByKind(kinds, fault, findTarget(fault, pods))
    const entry = registerFault(active, fault.target.uid, applying)
    await applying
    if (entry.dropped) throw new Error(`${nameOf(fault)} was removed`)
    return { recover: (reply) => replyWith(clock, entry.undo(), reply) }
  }

  const stopListening = pods.onRemoval((uid) => {
    options.forget?.(uid)
    for (const entry of [...active])
      if (entry.uid === uid) {
        entry.dropped = true
        // A dropped fault does not reject.
        void entry.undo()
      }
  })

  const close = async (): Promise<void> => {
    const outcomes = await Promise.allSettled([...active].map((entry) => entry.undo()))
    stopListening()
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  return {
    apply: (fault, reply) => replyWith(clock, applyFault(fault), reply),
    close() {
      closing ??= close()
      return closing
    },
  }
}
