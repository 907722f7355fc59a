/** Tests that the effects of the fault are not damage by the solver while the cause remains. */
import { describe, expect, it } from 'vitest'
import { type ApiObject, type Fault, JUDGING_RULES, podTemplateOf, type Verdict } from '#spec'
import { deployment, prepareRecord, problem, type RecordBuilder } from '../testing/record-builder.ts'
import { judge } from '../testing/trial.ts'

const RULES_BEFORE_EFFECTS = 2
const DEFECTIVE_IMAGE = 'shop/cart:1.5'
const END = { type: 'solver-ended', outcome: 'submitted' } as const

/** A Deployment without a ready pod. */
const unreadyDeployment = (name: string, image?: string): ApiObject => ({
  ...deployment(name, image === undefined ? {} : { image }),
  status: { replicas: 1, readyReplicas: 0, updatedReplicas: 1, observedGeneration: 1 },
})

/** The fault is in the image of the cart. */
const FAULT: Partial<Fault> = {
  binding: 'cause',
  isGone({ now }) {
    const cart = now.get('Deployment', 'cart')
    const image = cart && podTemplateOf(cart)?.spec?.containers?.[0]?.image
    return { holds: image !== undefined && image !== DEFECTIVE_IMAGE, evidence: `the cart runs ${image}` }
  },
  scope: () => ({ services: ['cart'], anyGoodRelease: true }),
}

const callsEvent = (to: string, errors: number) =>
  ({ type: 'calls-observed', edges: [{ from: 'users', to, count: 50, errors }] }) as const

interface CrashOptions {
  readonly rules?: number
  /** Observed before the solver starts; the front fails all its calls by default. */
  readonly before?: ReturnType<typeof callsEvent>
  readonly act?: (record: RecordBuilder) => RecordBuilder
  /** Services that fail all their calls after the solver. */
  readonly failing?: readonly string[]
}

/** Judges an episode in which the cart crashes, so that its caller fails, and never recovers. */
const judgeCrash = ({
  rules = JUDGING_RULES,
  before = callsEvent('front', 50),
  act,
  failing = ['front'],
}: CrashOptions): Verdict => {
  const prepared = prepareRecord(problem(), { rules, injected: [unreadyDeployment('cart', DEFECTIVE_IMAGE)] })
  const events = [...prepared.events]
  const started = events.pop()!
  const record = prepared.after(500)
  ;(act ?? ((same) => same))(record)
  record.after(100, END)
  for (let second = 0; second < 40; second += 1) {
    record.runJourneys(1000, { failing: 1 })
    for (const service of failing) record.after(0, callsEvent(service, 50))
  }
  const later = record.events.slice(events.length + 1)
  return judge([...events, { at: started.at, ...before }, started, ...later], FAULT)
}

const damagedObjects = ({ damage }: Verdict): string[] => damage.map(({ object }) => object)
const isNothingBroken = ({ judgements }: Verdict): unknown =>
  judgements.find(({ oracle }) => oracle === 'nothing-broken')?.holds

describe('while the cause remains', () => {
  it('counts neither the workload of the fault nor failing callers as damage', () => {
    const verdict = judgeCrash({})
    expect(verdict).toMatchObject({ outcome: 'unresolved', damage: [] })
    expect(isNothingBroken(verdict)).toBe(true)
  })

  it('counts the workload of the fault and failing callers in records that are older than the rule', () => {
    const verdict = judgeCrash({ rules: RULES_BEFORE_EFFECTS })
    expect(damagedObjects(verdict)).toEqual(['Deployment/cart', 'Service/front'])
    expect(isNothingBroken(verdict)).toBe(false)
  })

  it('counts a workload that broke after the solver had started', () => {
    const verdict = judgeCrash({
      act: (record) => record.change(unreadyDeployment('stock')),
      failing: ['front', 'stock'],
    })
    expect(damagedObjects(verdict)).toEqual(['Deployment/stock', 'Service/stock'])
  })

  it('counts calls that did not fail before the solver', () => {
    expect(damagedObjects(judgeCrash({ before: callsEvent('front', 0) }))).toEqual(['Service/front'])
  })

  it('counts a workload that the solver deletes', () => {
    expect(
      damagedObjects(
        judgeCrash({ act: (record) => record.remove(unreadyDeployment('cart', DEFECTIVE_IMAGE)) }),
      ),
    ).toContain('Deployment/cart')
  })
})

it('counts effects that remain once the cause is gone', () => {
  const verdict = judgeCrash({ act: (record) => record.change(unreadyDeployment('cart')) })
  expect(verdict.outcome).toBe('unresolved')
  expect(damagedObjects(verdict)).toEqual(['Deployment/cart', 'Service/front'])
})
