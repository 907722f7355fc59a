/** Replaces the pods of a service where nothing in its template has changed: what they read at their start has. */
import type { FaultContext, SystemView } from '../spec/index.ts'
import { endPods, uidsOf } from './edit-workload.ts'
import { type PlaybookTask, patchTask } from './playbook.ts'
import { podsOf } from './pods.ts'

/** Deletes the pods at once and resolves when they are gone; others are made in their place. */
export const replacePods = async (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
): Promise<void> => {
  await endPods(context, service, uidsOf(await podsOf(context, service)))
}

/** As `kubectl rollout restart` does. */
export const restartTask = (name: string, system: SystemView, service: string): PlaybookTask =>
  patchTask(name, system, system.workloadOf(service), {
    template: {
      metadata: {
        annotations: { 'kubectl.kubernetes.io/restartedAt': "{{ now(utc=true, fmt='%Y-%m-%dT%H:%M:%SZ') }}" },
      },
    },
  })
