/** Runs the postStart and preStop hooks of containers. */
import type { LifecycleHandler, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { attempt } from '../attempt.ts'
import type { KubeletContext } from '../kubelet-context.ts'
import { type ContainerRecord, fieldPathOf, podText } from './container-record.ts'
import { actionOf } from './probes.ts'

const REASONS = { postStart: 'FailedPostStartHook', preStop: 'FailedPreStopHook' } as const
const TITLES = { postStart: 'PostStartHook', preStop: 'PreStopHook' } as const

export interface Hook {
  kind: 'postStart' | 'preStop'
  handler: LifecycleHandler
  pod: Stored<Pod>
  podIP: string
  record: ContainerRecord
  timeoutMs: number
}

/** Runs a hook and reports to `done` whether it succeeded; records an event on failure. */
export const runHook = (context: KubeletContext, hook: Hook, done: (ok: boolean) => void): void => {
  const { kind, handler, pod, podIP, record, timeoutMs } = hook
  const { clock, events, runtime } = context
  const source = `${kind} hook of ${record.spec.name} in ${podText(pod)}`
  if (handler.sleep !== undefined) {
    clock.after(Math.min(handler.sleep.seconds * 1000, timeoutMs), () =>
      attempt(context, source, () => done(true)),
    )
    return
  }
  const { tcpSocket: _deprecated, ...supported } = handler
  const action = actionOf(supported, record.spec, podIP)
  if (action === undefined || record.instance === undefined) {
    done(true)
    return
  }
  let isTimedOut = false
  // A preStop hook ends with the grace period, even if the runtime does not reply.
  const timeoutTimer =
    kind === 'preStop'
      ? clock.after(timeoutMs, () => {
          isTimedOut = true
          attempt(context, source, () => done(false))
        })
      : undefined
  runtime.probe(pod, record.spec, record.instance.id, { kind, action, timeoutMs }, (outcome) => {
    timeoutTimer?.cancel()
    if (isTimedOut) return
    attempt(context, source, () => {
      const ok = outcome.ok && outcome.value.ok
      if (!ok) events.record(pod, 'Warning', REASONS[kind], `${TITLES[kind]} failed`, fieldPathOf(record))
      done(ok)
    })
  })
}
