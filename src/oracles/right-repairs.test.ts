/** What is right without being the reference: nobody may be blamed for it. */
import { expect, it } from 'vitest'
import type { ApiObject, Fault } from '../spec/index.ts'
import {
  deployment,
  plain,
  pod,
  prepareRecord,
  problem,
  SICK_POD,
  withSpec,
} from './testing/record-builder.ts'
import { finish, judge, named } from './testing/trial.ts'

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
