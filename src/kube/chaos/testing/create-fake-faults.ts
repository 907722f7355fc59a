/** A stand-in for the machinery of faults: remembers what is in force, and takes its time. */
import type { Clock } from '../../../kit/index.ts'
import type { AppliedFault, PodFault, PodFaults, Reply } from '../../ports/index.ts'

export interface FakeFaults extends PodFaults {
  /** What is in force now. */
  readonly active: ReadonlySet<PodFault>
  /** Every fault that was ever asked for, in order. */
  readonly asked: readonly PodFault[]
  /** Refuses what is asked for from now on, with this sentence; nothing ends that. */
  failApply: string | undefined
  failRecover: string | undefined
}

const TAKES_MS = 20

export const createFakeFaults = (clock: Clock): FakeFaults => {
  const active = new Set<PodFault>()
  const asked: PodFault[] = []
  const later = <T>(reply: Reply<T>, problem: string | undefined, value: () => T): void => {
    clock.after(TAKES_MS, () =>
      reply(problem === undefined ? { ok: true, value: value() } : { ok: false, error: new Error(problem) }),
    )
  }
  const fake: FakeFaults = {
    active,
    asked,
    failApply: undefined,
    failRecover: undefined,
    apply(fault, reply) {
      asked.push(fault)
      later<AppliedFault>(reply, fake.failApply, () => {
        active.add(fault)
        return {
          recover: (done) => later<void>(done, fake.failRecover, () => void active.delete(fault)),
        }
      })
    },
  }
  return fake
}
