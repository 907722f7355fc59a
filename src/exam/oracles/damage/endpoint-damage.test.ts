/** Tests that the Endpoints of a Service must list the addresses of its pods. */
import { expect, it } from 'vitest'
import type { ApiObject } from '#spec'
import { plain, pod, prepareRecord, problem, withSpec } from '../testing/record-builder.ts'
import { baselineObject, finish, judge } from '../testing/trial.ts'

/** Work that the solver left is damage after 30 s. */
const OVERDUE_MS = 40_000
const [ADDRESS, FALSE_ADDRESS] = ['10.244.1.5:8080', '10.244.0.250:8080']

const withAddress = (target: ApiObject, podIP: string, ready = 'True'): ApiObject => ({
  ...target,
  status: { ...(target.status as object), podIP, conditions: [{ type: 'Ready', status: ready }] },
})
const front = withAddress(pod('front', 'front-1'), '10.244.1.5')
const service = withSpec(baselineObject('Service', 'front'), {
  selector: { app: 'front' },
  ports: [{ port: 80, targetPort: 8080 }],
})
const endpointsWith = (...addresses: readonly string[]): ApiObject =>
  plain('v1', 'Endpoints', 'front', { maintained: true, addresses })

const verdictOn = (
  act: (record: ReturnType<typeof prepareRecord>) => ReturnType<typeof prepareRecord>,
  { rules, waitMs = OVERDUE_MS }: { readonly rules?: number; readonly waitMs?: number } = {},
) => {
  const record = prepareRecord(problem(), {
    baseline: [service, front, endpointsWith(ADDRESS)],
    ...(rules === undefined ? {} : { rules }),
  })
  return judge(finish(act(record.replacePod('cart')), waitMs).events)
}

it.each<[string, readonly string[], string | undefined]>([
  ['the address of its pod', [ADDRESS], undefined],
  ['a false address', [ADDRESS, FALSE_ADDRESS], `have the false address ${FALSE_ADDRESS}`],
  ['another port', [ADDRESS, '10.244.1.5:9090'], 'have the false address 10.244.1.5:9090'],
  ['no address', [], `lack the address ${ADDRESS} of a pod`],
])('with %s', (_, addresses, what) => {
  const { outcome, damage } = verdictOn((record) => record.change(endpointsWith(...addresses)))
  expect(damage).toEqual(what === undefined ? [] : [{ object: 'Endpoints/front', what }])
  expect(outcome).toBe(what === undefined ? 'resolved' : 'unresolved')
})

it('are compared with pods that are not ready only if they list them', () => {
  const unready = withAddress(front, '10.244.1.5', 'False')
  for (const addresses of [[], [ADDRESS]])
    expect(
      verdictOn((record) => record.change(unready).change(endpointsWith(...addresses))).damage,
    ).not.toContainEqual(expect.objectContaining({ object: 'Endpoints/front' }))
})

it('have time to follow their pods', () => {
  const moved = withAddress(front, '10.244.1.6')
  const follow = (record: ReturnType<typeof prepareRecord>) =>
    record.change(moved).change(endpointsWith('10.244.1.6:8080'))
  expect(verdictOn(follow).outcome).toBe('resolved')
  expect(verdictOn((record) => record.change(moved), { waitMs: 3000 }).damage).toEqual([])
})

it('are not compared in older records', () => {
  expect(verdictOn((record) => record.change(endpointsWith(FALSE_ADDRESS)), { rules: 6 })).toMatchObject({
    outcome: 'resolved',
    damage: [],
  })
})
