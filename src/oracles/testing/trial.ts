/** What is said to be broken after an act that mends the sick pod and does something besides. */
import type { ApiObject, Damage, EpisodeEvent, Fault, Verdict } from '../../spec/index.ts'
import { judgeRecord } from '../judge-record.ts'
import { BASELINE, podFault, prepareRecord, problem, type RecordBuilder, SHOP } from './record-builder.ts'

export const named = (kind: string, name: string): ApiObject =>
  BASELINE.find((object) => object.kind === kind && object.metadata.name === name)!

export const finish = (record: RecordBuilder): RecordBuilder =>
  record.after(100, { type: 'solver-ended', outcome: 'submitted' }).walks(3000, {})

export const judge = (events: readonly EpisodeEvent[], fault: Partial<Fault> = {}): Verdict =>
  judgeRecord(events, SHOP, new Map([['sick-pod', podFault(fault)]]))

export interface Trial {
  readonly act: (record: RecordBuilder) => RecordBuilder
  readonly injected?: readonly ApiObject[]
  readonly fault?: Partial<Fault>
}

export const damageBy = ({ act, injected = [], fault = {} }: Trial): readonly Damage[] => {
  const record = prepareRecord(problem(), { injected })
  return judge(finish(act(record.replacePod('cart'))).events, fault).damage
}
