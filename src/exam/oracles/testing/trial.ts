/** For tests: judges a solver that repairs the faulty pod and makes a further change. */
import type { ApiObject, Damage, EpisodeEvent, Fault, Verdict } from '#spec'
import { judgeRecord } from '../judge-record.ts'
import { BASELINE, podFault, prepareRecord, problem, type RecordBuilder, SHOP } from './record-builder.ts'

export const baselineObject = (kind: string, name: string): ApiObject =>
  BASELINE.find((object) => object.kind === kind && object.metadata.name === name)!

export const finish = (record: RecordBuilder, waitMs = 3000): RecordBuilder =>
  record.after(100, { type: 'solver-ended', outcome: 'submitted' }).runJourneys(waitMs, {})

export const judge = (events: readonly EpisodeEvent[], fault: Partial<Fault> = {}): Verdict =>
  judgeRecord(events, SHOP, new Map([['sick-pod', podFault(fault)]]))

export interface Trial {
  readonly act: (record: RecordBuilder) => RecordBuilder
  readonly injected?: readonly ApiObject[]
  readonly fault?: Partial<Fault>
  /** The version of the rules; the current one by default. */
  readonly rules?: number
  /** The time from the end of the solver to the verdict. Work that the solver left running is damage after 30 s. */
  readonly waitMs?: number
}

export const damageBy = ({
  act,
  injected = [],
  fault = {},
  waitMs,
  ...options
}: Trial): readonly Damage[] => {
  const record = prepareRecord(problem(), { injected, ...options })
  return judge(finish(act(record.replacePod('cart')), waitMs).events, fault).damage
}
