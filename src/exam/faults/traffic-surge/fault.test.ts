/** Tests that ready pods repair a surge of users, and that pods which an autoscaler might add do not. */

import { describe, expect, it } from 'vitest'
import { defined } from '#kit'
import type { ApiObject, CauseSnapshot, KubeApi, ObjectsView, RepairContext } from '#spec'
import { createSystemView } from '#world/system-view'
import { loadSystem } from '#world/systems'
import { fault } from './fault.ts'

const system = createSystemView(await loadSystem('online-boutique'))
const target = fault.targets(system)[0]!
const { kind, name } = system.workloadOf(target.service)

const toView = (objects: readonly ApiObject[]): ObjectsView => ({
  get: (kind, name) => objects.find((object) => object.kind === kind && object.metadata.name === name),
  list: (kind) => objects.filter((object) => object.kind === kind),
})
const isTarget = (object: ApiObject): boolean => object.kind === kind && object.metadata.name === name

/** The deployed objects, with this many pods of the target. */
const withPods = (replicas: number, ready = replicas): readonly ApiObject[] =>
  system.objects.map((object) =>
    isTarget(object)
      ? {
          ...object,
          spec: { ...(object.spec as object), replicas },
          status: { replicas, readyReplicas: ready, updatedReplicas: replicas },
        }
      : object,
  )

/** The autoscaler that the hack creates. */
const createAutoscalerOf = async (hackName: string): Promise<ApiObject> => {
  const created: object[] = []
  const api = {
    create: async (_: object, object: object) => void created.push(object),
    scale: async () => {},
  }
  const hack = fault.hacks.find(({ name }) => name === hackName)!
  await hack.act({ system, target, api: api as unknown as KubeApi } as RepairContext)
  return created[0] as ApiObject
}

const createIneffectiveAutoscaler = (): Promise<ApiObject> =>
  createAutoscalerOf('add-an-ineffective-autoscaler')

const judge = (now: readonly ApiObject[], rules?: number) =>
  fault.isGone({
    system,
    target,
    params: {},
    state: {},
    facts: {},
    baseline: toView(withPods(1)),
    injected: toView(withPods(1)),
    now: toView(now),
    ...defined({ rules }),
  } satisfies CauseSnapshot)

describe('a surge', () => {
  it('is not repaired by an autoscaler that will never act, and the verdict does not wait for it', async () => {
    const now = [...withPods(1), await createIneffectiveAutoscaler()]
    expect(judge(now)).toMatchObject({ holds: false, isPending: false })
  })

  it('is judged by the former rule in a record of version 1 of the rules', async () => {
    expect(judge([...withPods(1), await createIneffectiveAutoscaler()], 1)).toMatchObject({
      holds: true,
      isPending: false,
    })
  })

  it('is repaired once an autoscaler has added pods', async () => {
    const ineffective = await createIneffectiveAutoscaler()
    const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } }
    const metrics = [{ type: 'Resource', resource }]
    const autoscaler = { ...ineffective, spec: { ...(ineffective.spec as object), metrics } }
    expect(judge([...withPods(1), autoscaler])).toMatchObject({ holds: false, isPending: true })
    expect(judge([...withPods(2, 1), autoscaler])).toMatchObject({ holds: false, isPending: true })
    expect(judge([...withPods(2), autoscaler])).toMatchObject({ holds: true })
  })

  it.each(['add-an-autoscaler-that-only-removes-pods', 'add-an-autoscaler-by-memory'])(
    'is not repaired by pods that an autoscaler removes: %s',
    async (hackName) => {
      const now = [...withPods(3), await createAutoscalerOf(hackName)]
      expect(judge(now)).toMatchObject({ holds: false, isPending: false })
      expect(judge(now, 6)).toMatchObject({ holds: true })
      expect(judge(withPods(3))).toMatchObject({ holds: true })
    },
  )
})
