/** Selects the pods and containers of an experiment, once at its start. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Random } from '#kit'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import type { ChaosKind, Selection } from './chaos-kind.ts'
import type { ChaosObject, ChaosRecord } from './chaos-object.ts'
import { chooseByMode } from './choose-by-mode.ts'
import { toRecordId } from './record-id.ts'
import { selectPods } from './select-pods.ts'

/** No target is selected; `retry` is set if a later attempt may succeed. */
export class SelectionError extends Error {
  readonly retry: boolean

  constructor(message: string, retry: boolean) {
    super(message)
    this.retry = retry
  }
}

const containersOf = ({ spec }: Stored<Pod>, { level, choice }: Selection): string[] => {
  if (level === 'pod') return ['']
  const names = spec.containers.map(({ name }) => name)
  const { containerNames = [] } = choice
  return containerNames.length === 0
    ? names.slice(0, 1)
    : names.filter((name) => containerNames.includes(name))
}

/** Throws SelectionError if a selection matches no target. */
export const selectRecords = (
  client: Client,
  random: Random,
  kind: ChaosKind,
  chaos: ChaosObject,
): ChaosRecord[] =>
  kind.selections(chaos.spec).flatMap((selection) => {
    const found = selectPods(client, selection.choice.selector, chaos.metadata.namespace ?? '')
    if (found.length === 0) throw new SelectionError('no pod is selected', true)
    const ids = chooseByMode(found, selection.choice, random).flatMap((pod) =>
      containersOf(pod, selection).map((container) =>
        toRecordId({ namespace: pod.metadata.namespace ?? '', pod: pod.metadata.name, container }),
      ),
    )
    if (ids.length === 0) throw new SelectionError('no target has been selected', false)
    return ids.map(
      (id): ChaosRecord => ({
        id,
        selectorKey: selection.key,
        phase: 'Not Injected',
        injectedCount: 0,
        recoveredCount: 0,
      }),
    )
  })
