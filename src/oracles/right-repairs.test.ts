/** What is right without being the reference: nobody may be blamed for it. */
import { expect, it } from 'vitest'
import type { ApiObject, EpisodeEvent, Fault } from '../spec/index.ts'
import { assess } from './assess.ts'
import { createEpisodeView } from './create-episode-view.ts'
import {
  deployment,
  plain,
  pod,
  podFault,
  prepareRecord,
  problem,
  SHOP,
  SICK_POD,
  withSpec,
} from './testing/record-builder.ts'
import { finish, judge, named } from './testing/trial.ts'

const stateOf = (events: readonly EpisodeEvent[], fault: Partial<Fault>): string => {
  const view = createEpisodeView(SHOP, new Map([['sick-pod', podFault(fault)]]))
  for (const event of events) view.add(event)
  return assess(view).state
}

it('to wait for a fault that has changed a pod in its place, and changes it back by itself', () => {
  const ill = withSpec(named('Pod', 'cart-abc'), { containers: [{ name: 'main', image: 'pause:latest' }] })
  const well = named('Pod', 'cart-abc')
  const transient = problem({ faults: [{ ...SICK_POD, shape: { kind: 'transient', forMs: 1000 } }] })
  const healed = (after: ApiObject) =>
    prepareRecord(transient, { injected: [ill] })
      .after(10, { type: 'solver-ended', outcome: 'submitted' })
      .walks(1000, { failing: 1 })
      .after(10, { type: 'laboratory-acts', index: 0 })
      .change(after)
      .after(200, { type: 'fault-recovered', index: 0 })
      .walks(3000, {})
  expect(judge(healed(well).events)).toMatchObject({ outcome: 'resolved', damage: [] })
  const other = withSpec(well, { containers: [{ name: 'main', image: 'shop/other:1' }] })
  expect(judge(healed(other).events)).toMatchObject({ outcome: 'unresolved' })
})

it('to set an autoscaler over who has too little, which takes its time', () => {
  const shortage: Partial<Fault> = {
    binding: 'cause',
    isGone: ({ now }) => {
      const { replicas } = now.get('Deployment', 'cart')!.spec as { replicas: number }
      return { holds: replicas > 1, evidence: `${replicas} replicas` }
    },
  }
  const autoscaler = plain('autoscaling/v2', 'HorizontalPodAutoscaler', 'cart', {
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' }, minReplicas: 1, maxReplicas: 4 },
  })
  const begin = (isSet: boolean) => {
    const record = prepareRecord()
    return (isSet ? record.add(autoscaler) : record).after(10, {
      type: 'solver-ended',
      outcome: 'submitted',
    })
  }
  expect(stateOf(begin(false).walks(2000, { slow: 5 }).events, shortage)).toBe('unresolved')
  const waiting = begin(true).walks(20_000, { slow: 5 })
  expect(stateOf(waiting.events, shortage)).toBe('undecided')
  const grown = waiting.change(deployment('cart', {}, 2)).walks(4000, {})
  expect(stateOf(grown.events, shortage)).toBe('resolved')
})

it('to let all that suffers on a sick node begin anew elsewhere', () => {
  const sick: Partial<Fault> = {
    scope: () => ({ services: ['cart'], nodes: true }),
    isGone: () => ({ holds: true, evidence: 'nobody is there' }),
  }
  const restarted = (name: string): ApiObject => {
    const { template } = deployment(name).spec as { template: { metadata: { annotations: object } } }
    const annotations = { ...template.metadata.annotations, 'kubectl.kubernetes.io/restartedAt': 'now' }
    return withSpec(deployment(name), {
      template: { ...template, metadata: { ...template.metadata, annotations } },
    })
  }
  const damageOf = (name: string) => {
    const record = prepareRecord(problem(), { state: { services: ['cart', 'stock'] } })
      .change(plain('v1', 'Node', 'node-1', { spec: { unschedulable: true } }))
      .replacePod('cart')
      .replacePod(name)
      .change(restarted(name))
    return judge(finish(record).events, sick).damage.map(({ object }) => object)
  }
  expect(damageOf('stock')).toEqual([])
  expect(damageOf('front')).toContain('Deployment/front')
  expect(pod('front', 'front-1').spec).toMatchObject({ nodeName: 'node-2' })
})
