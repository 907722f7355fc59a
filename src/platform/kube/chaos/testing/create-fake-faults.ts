/** A fake of pod faults: records the requested and the active faults, and replies after a delay. */
import type { Clock } from '#kit'
import type { AppliedFault, PodFault, PodFaults, Reply } from '#platform/kube/ports'

export interface FakeFaults extends PodFaults {
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
  const replyLater = <T>(reply: Reply<T>, problem: string | undefined, value: () => T): void => {
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
      replyLater<AppliedFault>(reply, fake.failApply, () => {
        active.add(fault)
        return {
          recover: (done) => replyLater<void>(done, fake.failRecover, () => void active.delete(fault)),
        }
      })
    },
  }
  return fake
}
