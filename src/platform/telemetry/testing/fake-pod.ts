/** Builds pods as the API returns them. */

export interface FakePodOptions {
  ready?: boolean
  /** When the condition Ready last changed, in milliseconds since the epoch. */
  since?: number
  phase?: string
  restarts?: number
  waiting?: string
  ended?: { reason: string; at: number }
  deleting?: boolean
  unscheduled?: string
  annotations?: Record<string, string>
  containerId?: string
}

const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString()

export const fakePod = (name: string, service: string, options: FakePodOptions = {}): object => {
  const { ready = true, since = 0, restarts = 0, waiting, ended, containerId = 'containerd://1' } = options
  const running = waiting === undefined
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      labels: { app: service },
      annotations: options.annotations ?? {},
      creationTimestamp: toIso(since),
      ...(options.deleting ? { deletionTimestamp: toIso(since) } : {}),
    },
    spec: { nodeName: 'node1' },
    status: {
      phase: options.phase ?? 'Running',
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: toIso(since) },
        ...(options.unscheduled === undefined
          ? []
          : [{ type: 'PodScheduled', status: 'False', message: options.unscheduled }]),
      ],
      containerStatuses: [
        {
          name: 'server',
          ready,
          restartCount: restarts,
          containerID: containerId,
          state: running
            ? { running: { startedAt: toIso(since) } }
            : { waiting: { reason: waiting, message: 'why' } },
          lastState:
            ended === undefined ? {} : { terminated: { reason: ended.reason, finishedAt: toIso(ended.at) } },
        },
      ],
    },
  }
}
