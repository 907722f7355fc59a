/** Lets runbooks look at a small system, for tests. */
import { expect } from 'vitest'
import { yamlLibrary } from '../../../kit/index.ts'
import { createWorld } from '../observe/world.ts'
import type { Focus, Hypothesis } from '../runbook.ts'
import { RUNBOOKS } from '../runbooks/index.ts'
import { actionsOf, createFakeCluster, type FakeCluster, NAMESPACE } from './fake-cluster.ts'
import { CALM } from './fake-objects.ts'

/** All that they find, or one of them does. */
export const look = async (
  parts: Partial<FakeCluster>,
  focus: Focus = {},
  name?: string,
): Promise<Hypothesis[]> => {
  const world = createWorld(
    actionsOf(createFakeCluster({ edges: [...CALM], before: [...CALM], ...parts })),
    NAMESPACE,
  )
  const found: Hypothesis[] = []
  for (const runbook of RUNBOOKS)
    if (name === undefined || runbook.name === name) found.push(...(await runbook.look(world, focus)))
  return found
}

/** The one thing that the runbook finds. */
export const only = async (name: string, parts: Partial<FakeCluster>, focus?: Focus): Promise<Hypothesis> => {
  const found = await look(parts, focus, name)
  expect(found.map(({ runbook }) => runbook)).toEqual([name])
  return found[0]!
}

export const tasksOf = ({ fix }: Hypothesis): any[] => yamlLibrary().parse(fix!.playbook)[0].tasks
/** What the first task makes of a pod template. */
export const patchOf = (hypothesis: Hypothesis): any =>
  tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.spec.template
