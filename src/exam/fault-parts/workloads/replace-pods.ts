/** Replaces the pods of a service without changing its template, so that they read changed configuration. */
import type { FaultContext, SystemView } from '#spec'
import { type PlaybookTask, patchTask } from '../playbook.ts'
import { podsOf } from '../pods/pods-of.ts'
import { deletePods, uidsOf } from './edit-workload.ts'

/** Deletes the pods and resolves when they are gone; the workload creates new ones. */
export const replacePods = async (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
): Promise<void> => {
  await deletePods(context, service, uidsOf(await podsOf(context, service)))
}

/** The task that restarts a rollout, as `kubectl rollout restart` does. */
export const restartTask = (name: string, system: SystemView, service: string): PlaybookTask =>
  patchTask(name, system, system.workloadOf(service), {
    template: {
      metadata: {
        annotations: { 'kubectl.kubernetes.io/restartedAt': "{{ now(utc=true, fmt='%Y-%m-%dT%H:%M:%SZ') }}" },
      },
    },
  })
