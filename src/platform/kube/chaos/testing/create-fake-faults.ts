/** Fake faults: record the requested and active faults, and reply after a delay. */
import type { Clock } from '#kit'
import type { AppliedFault, PodFault, PodFaults, Reply } from '#platform/kube/ports'

export interface FakeFaults extends PodFaults {
  /** The active faults. */
  readonly active: ReadonlySet<PodFault>
  /** All requested faults in order. */
  readonly requested: readonly PodFault[]
  /** If set, `apply` fails with this message. */
  failApply: string | undefined
  /** If set, `recover` fails with this message. */
  failRecover: string | undefined
}

const DELAY_MS = 20

export const createFakeFaults = (clock: Clock): FakeFaults => {
  const active = new Set<PodFault>()
  const requested: PodFault[] = []
  const later = <T>(reply: Reply<T>, problem: string | undefined, value: () => T): void => {
    clock.after(DELAY_MS, () =>
      reply(problem === undefined ? { ok: true, value: value() } : { ok: false, error: new Error(problem) }),
    )
  }
  const fake: FakeFaults = {
    active,
    requested,
    failApply: undefined,
    failRecover: undefined,
    apply(fault, reply) {
      requested.push(fault)
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
