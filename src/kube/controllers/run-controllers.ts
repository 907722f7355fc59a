/** Runs controllers: each has a queue of keys, filled by what it watches and emptied in turns of the clock. */
import type { Clock, Random, Timer } from '../../kit/index.ts'
import { isConflict } from '../meta/index.ts'
import { type Client, type EventRecorder, systemAccount, type User } from '../ports/index.ts'
import type { Controller, ControllerContext } from './define-controller.ts'

export interface ControllerHost {
  clock: Clock
  random: Random
  clientFor(user: User, manager: string): Client
  recorderFor(component: string): EventRecorder
  /** Told of every reconcile that failed for another reason than a conflict; it will be tried again. */
  onError(controller: string, key: string, error: unknown): void
}

export interface RunningControllers {
  stop(): void
}

/** Keys reconciled before other work gets its turn: few enough for the server to stay responsive. */
const KEYS_PER_TURN = 50
const FIRST_RETRY_MS = 5
const LAST_RETRY_MS = 1_000_000

/** Keys that wait for a time; of several times for one key the earliest wins. */
const createAlarms = (clock: Clock, ring: (key: string) => void) => {
  const alarms = new Map<string, { at: number; timer: Timer }>()
  return {
    set(key: string, milliseconds: number): void {
      const at = clock.now() + Math.max(0, milliseconds)
      const known = alarms.get(key)
      if (known !== undefined && known.at <= at) return
      known?.timer.cancel()
      const timer = clock.after(Math.max(0, milliseconds), () => {
        alarms.delete(key)
        ring(key)
      })
      alarms.set(key, { at, timer })
    },
    clear(): void {
      for (const { timer } of alarms.values()) timer.cancel()
      alarms.clear()
    },
  }
}

const userOf = ({ name, user }: Controller): User =>
  user === undefined
    ? systemAccount(`${name}-controller`)
    : { username: user, groups: ['system:authenticated'] }

const runController = (controller: Controller, host: ControllerHost): (() => void) => {
  const { clock, random } = host
  const queue = new Set<string>()
  const failures = new Map<string, number>()
  let scheduled = false
  let stopped = false

  const reconcile = (key: string): void => {
    try {
      controller.reconcile(key, context)
      failures.delete(key)
    } catch (error) {
      const count = failures.get(key) ?? 0
      failures.set(key, count + 1)
      alarms.set(key, Math.min(FIRST_RETRY_MS * 2 ** count, LAST_RETRY_MS))
      if (!isConflict(error)) host.onError(controller.name, key, error)
    }
  }

  const drain = (): void => {
    scheduled = false
    for (let turn = 0; turn < KEYS_PER_TURN && !stopped; turn += 1) {
      const next = queue.values().next()
      if (next.done) return
      queue.delete(next.value)
      reconcile(next.value)
    }
    schedule()
  }

  const schedule = (): void => {
    if (scheduled || stopped || queue.size === 0) return
    scheduled = true
    clock.defer(drain)
  }

  const enqueue = (key: string): void => {
    queue.add(key)
    schedule()
  }

  const alarms = createAlarms(clock, enqueue)
  const context: ControllerContext = {
    client: host.clientFor(userOf(controller), controller.manager ?? 'kube-controller-manager'),
    clock,
    random,
    events: host.recorderFor(controller.component ?? `${controller.name}-controller`),
    requeue: alarms.set,
  }

  const unwatch = controller.watches.map((watch) => {
    const close = context.client.watch(watch.kind, (event) => {
      for (const key of watch.keys(event, context)) enqueue(key)
    })
    for (const object of context.client.list(watch.kind)) {
      for (const key of watch.keys({ type: 'ADDED', object }, context)) enqueue(key)
    }
    return close
  })
  const end = controller.start?.(context)

  return () => {
    stopped = true
    end?.()
    for (const close of unwatch) close()
    alarms.clear()
    queue.clear()
  }
}

/** Starts the controllers, in order, on what exists and on whatever will happen. */
export const runControllers = (
  controllers: readonly Controller[],
  host: ControllerHost,
): RunningControllers => {
  const stops = controllers.map((controller) => runController(controller, host))
  return {
    stop() {
      for (const stop of stops) stop()
    },
  }
}
