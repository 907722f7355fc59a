/** Runs runbooks on a fake system, for tests. */
import { expect } from 'vitest'
import { yamlLibrary } from '#kit'
import { createWorld } from '../observe/world.ts'
import type { Focus, Hypothesis } from '../runbook.ts'
import { RUNBOOKS } from '../runbooks/index.ts'
import { actionsOf, createFakeCluster, type FakeCluster, NAMESPACE } from './fake-cluster.ts'
import { BASELINE } from './fake-objects.ts'

/** Returns the hypotheses of all runbooks, or of one. */
export const findHypotheses = async (
  parts: Partial<FakeCluster>,
  focus: Focus = {},
  runbookName?: string,
): Promise<Hypothesis[]> => {
  const world = createWorld(
    actionsOf(createFakeCluster({ edges: [...BASELINE], before: [...BASELINE], ...parts })),
    NAMESPACE,
  )
  const hypotheses: Hypothesis[] = []
  for (const runbook of RUNBOOKS)
    if (runbookName === undefined || runbook.name === runbookName)
      hypotheses.push(...(await runbook.diagnose(world, focus)))
  return hypotheses
}

/** Returns the only hypothesis of a runbook. */
export const findOnlyHypothesis = async (
  runbookName: string,
  parts: Partial<FakeCluster>,
  focus?: Focus,
): Promise<Hypothesis> => {
  const hypotheses = await findHypotheses(parts, focus, runbookName)
  expect(hypotheses.map(({ runbook }) => runbook)).toEqual([runbookName])
  return hypotheses[0]!
}

export const tasksOf = ({ fix }: Hypothesis): any[] => yamlLibrary().parse(fix!.playbook)[0].tasks
/** Returns the patch of the pod template in the first task. */
export const patchOf = (hypothesis: Hypothesis): any =>
  tasksOf(hypothesis)[0]['kubernetes.core.k8s'].definition.spec.template
